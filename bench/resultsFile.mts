import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem, type as system, release } from 'node:os';
import { join } from 'node:path';

import { installHost } from '../playground/host.mts';
import { hostFolder } from '../playground/folders.mts';

const path = new URL('RESULTS.md', import.meta.url);
const INTRODUCTION = `# Results

Written by \`npm run bench\`. A section that another command measures says so.
`;

/** The machine and the day, without which a number means nothing. */
async function circumstances(): Promise<string> {
	const { node } = await installHost();
	const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
	const n8n = JSON.parse(
		await readFile(join(hostFolder, 'node_modules', 'n8n', 'package.json'), 'utf8'),
	) as { version: string };
	const [cpu] = cpus();
	const memory = (totalmem() / 2 ** 30).toFixed(0);
	const day = new Date().toISOString().slice(0, 10);
	return (
		`Measured on ${day}: ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, ` +
		`${system()} ${release()}, n8n ${n8n.version} on Node.js ${version}.`
	);
}

/** Replaces the section with the same title, or adds one at the end. */
export async function writeSection(title: string, content: string): Promise<void> {
	const before = await readFile(path, 'utf8').catch(() => INTRODUCTION);
	const [introduction = INTRODUCTION, ...sections] = before.split(/^(?=## )/m);
	const section = `## ${title}\n\n${await circumstances()}\n\n${content}\n\n`;
	const at = sections.findIndex((one) => one.startsWith(`## ${title}\n`));
	if (at === -1) sections.push(section);
	else sections[at] = section;
	await writeFile(
		path,
		`${[introduction.trimEnd(), ...sections.map((one) => one.trimEnd())].join('\n\n')}\n`,
	);
}
