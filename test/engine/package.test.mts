import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

import { pack } from '../../scripts/verification/candidate.mts';
import { rules } from '../../scripts/verification/rules.mts';
import { listen } from '../support/loopback.mts';
import { ROOT } from '../support/manifest.mts';

it("n8n's rules for verified nodes are met", async () => {
	const candidate = pack(ROOT, mkdtempSync(join(tmpdir(), 'licensing-data-package-')));
	for (const { name, check } of rules) expect([name, await check(candidate)]).toEqual([name, []]);
});

it.each([['as this folder is set up'], ['with scripts', '--ignore-scripts=false']])(
	'npm publishes nothing by hand, %s',
	async (_, ...more) => {
		const asked: string[] = [];
		const { baseUrl, close } = await listen(({ method }, response) => {
			asked.push(String(method));
			response.writeHead(method === 'PUT' ? 201 : 404).end('{}');
		});
		onTestFinished(close);
		const { host } = new URL(baseUrl);
		const registry = [`--registry=http://${host}/`, `--//${host}/:_authToken=none`];
		const own = Object.entries(process.env).filter(([name]) => !/^(npm_|GITHUB|CI)/i.test(name));
		const { all, failed } = await execa('npm', ['publish', ...registry, ...more], {
			...{ cwd: ROOT, env: Object.fromEntries(own), extendEnv: false, all: true, reject: false },
		});
		expect(failed).toBe(true);
		expect(all).toMatch(/provenance|npm run release/);
		expect(asked).not.toContain('PUT');
	},
);
