import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { secretsOf } from '../../../playground/secrets.mts';

const newFolder = async () => {
	const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
	onTestFinished(async () => await rm(folder, { recursive: true }));
	return join(folder, 'data');
};

it('are kept for the next start, and readable by their owner alone', async () => {
	const folder = await newFolder();
	const secrets = await secretsOf(folder);
	expect(await secretsOf(folder)).toEqual(secrets);
	const { mode } = await stat(join(folder, 'secrets.json'));
	expect(mode & 0o777).toBe(0o600);
});

it('differ from each other and from playground to playground', async () => {
	const all = [await secretsOf(await newFolder()), await secretsOf(await newFolder())];
	const values = all.flatMap((secrets) => Object.values(secrets) as string[]);
	expect(new Set(values).size).toBe(6);
	for (const value of values) expect(value.length).toBeGreaterThanOrEqual(24);
});
