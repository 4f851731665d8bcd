import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { installHost } from '../playground/host.mts';
import { packPackage } from '../playground/package.mts';
import { unpackPackage } from './n8n/package.mts';
import type { Subject } from './subject.mts';
import { count, duration, median, table } from './table.mts';

/** n8n has already loaded its own modules when it gets to a package, so they do not count. */
const LOAD = `
	require('n8n-workflow');
	const start = performance.now();
	for (const file of JSON.parse(process.argv[1])) require(file);
	process.stdout.write(String(performance.now() - start));
`;

export const packageSubject: Subject = {
	title: 'Loading the package',
	async measure({ quick, progress }) {
		const folder = await unpackPackage();
		const { node } = await installHost();
		const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
			n8n: { nodes: string[]; credentials: string[] };
		};
		const classes = [...manifest.n8n.credentials, ...manifest.n8n.nodes];
		const load = (files: string[]): number =>
			median(
				Array.from({ length: quick ? 5 : 15 }, () => {
					const paths = JSON.stringify(files.map((file) => join(folder, file)));
					return Number(execFileSync(node, ['-e', LOAD, paths], { cwd: folder }));
				}),
			);
		const rows = classes.map((file) => [
			`\`${file.split('/').at(-1)}\` alone`,
			duration(load([file])),
		]);
		rows.push(['everything, as n8n does at its start', duration(load(classes))]);
		progress('done');

		const entries = await readdir(folder, { recursive: true, withFileTypes: true });
		const sizes = entries
			.filter((entry) => entry.isFile())
			.map((entry) => statSync(join(entry.parentPath, entry.name)).size);
		const unpacked = sizes.reduce((sum, size) => sum + size, 0);
		return [
			`The tarball has ${count(statSync(await packPackage()).size)} bytes; unpacked it is ${sizes.length} files of ${count(unpacked)} bytes, and no dependency comes with it.`,
			'`require` in a fresh process; medians.',
			table(['what', 'time'], rows),
		].join('\n\n');
	},
};
