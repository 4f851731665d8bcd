import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './folders.mts';

export interface Secrets {
	/** The password for signing in to n8n. */
	owner: string;
	postgres: string;
	redis: string;
}

const random = () => randomBytes(18).toString('base64url');

/** Made on first use and kept in the playground's folder, where no other user of the machine can read them. */
export async function secretsOf(folder: string): Promise<Secrets> {
	const path = join(folder, 'secrets.json');
	if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets;
	// n8n wants a capital and a digit in a password.
	const secrets = { owner: `A1-${random()}`, postgres: random(), redis: random() };
	await makeFolder(folder);
	await writeFile(path, JSON.stringify(secrets, undefined, '\t'), { mode: 0o600, flag: 'wx' });
	return secrets;
}
