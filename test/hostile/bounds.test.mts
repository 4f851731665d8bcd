import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

import { MAX_COMPARED, plain } from '../../nodes/LicensingData/licenses/text.ts';
import { nameSimilarity } from '../../nodes/LicensingData/match/names.ts';
import { streetOf } from '../../nodes/LicensingData/match/street.ts';

it('Nothing that a service sends fills a process with a heap of 256 MB', async () => {
	const script = fileURLToPath(new URL('bounds-process.mts', import.meta.url));
	const options = ['--max-old-space-size=256', '--import', 'tsx'];
	const { stdout } = await execa(process.execPath, [...options, script]);
	expect(stdout.split('\n')).toEqual([
		'The list to count has more than 20,000 licenses, too many to read',
		'The list has more than 500,000 licenses',
	]);
});

it('Of a name or a street, no more is compared than any business has', () => {
	expect(plain('ﷺ'.repeat(MAX_COMPARED))).toHaveLength(200);
	expect(nameSimilarity('Ay/Bee/Cee/Dee/Pelican', 'Pelican')).toBeLessThan(0.7);
	expect(streetOf({ street: `${' '.repeat(MAX_COMPARED)}100 Bay St` })?.numbers).toEqual([]);
});
