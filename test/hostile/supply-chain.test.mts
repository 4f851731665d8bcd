import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { tried } from './runs.mts';

interface Locked {
	resolved?: string;
	integrity?: string;
	inBundle?: boolean;
}

async function lockedIn(file: string): Promise<Array<[path: string, entry: Locked]>> {
	const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Locked> };
	return Object.entries(lock.packages).filter(([path]) => path !== '');
}

describe('The supply chain', () => {
	it.for([
		'package-lock.json',
		'playground/host/package-lock.json',
		'playground/host-oldest/package-lock.json',
	])(
		'takes nothing from an address of its own, and nothing but what its checksum says: %s',
		async (file, test) => {
			const locked = await lockedIn(file);
			// Without an address of its own, a package comes from whatever registry npm is set to.
			const loose = locked
				.filter(
					([, { resolved, integrity = '', inBundle }]) =>
						resolved !== undefined || !(inBundle || integrity.startsWith('sha512-')),
				)
				.map(([path]) => path);
			expect(loose).toEqual([]);
			tried(test, locked.length);
		},
	);

	it('builds and publishes with no GitHub Action that could change under its name', async (test) => {
		const files = (await readdir('.github/workflows')).map((file) => `.github/workflows/${file}`);
		const texts = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
		const actions = texts.flatMap((text) =>
			[...text.matchAll(/uses: (\S+)/g)].map(([, name]) => name),
		);
		expect(actions.filter((name) => !/@[0-9a-f]{40}$/.test(`${name}`))).toEqual([]);
		tried(test, actions.length);
	});

	it('runs no script of any package that is installed', async () => {
		expect(await readFile('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
	});
});
