/** Makes the pictures of the documentation anew, from a real editor: `npm run pictures`. */
import { execa } from 'execa';
import { repository } from '../../playground/folders.mts';

await execa('npx', ['vitest', 'run', '--config', 'vitest.e2e.config.mts', 'editor.test.mts'], {
	cwd: repository,
	env: { PICTURES: 'new' },
	stdio: 'inherit',
});
