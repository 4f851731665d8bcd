import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { createSandbox } from '../../sandbox/index.mts';
import { ROOT } from '../support/manifest.mts';
import { credentials, nodes } from '../support/node-classes.mts';
import { runLicense } from '../support/nodes.mts';
import { choicesOf } from '../support/operations.mts';

/** What the last release has, or the first one will have. */
const FROZEN = join(ROOT, 'test/unit/surface.txt');

const LISTED = /^(.+ (?:=|gives) )(.+)$/;

/** A default counts as well: n8n does not save what equals it. */
function linesOf(path: string, properties: INodeProperties[]): string[] {
	return properties
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, default: usual, options = [] }) => [
			`${path}${name} by default ${JSON.stringify(usual)}`,
			...options.flatMap((option) => {
				if ('values' in option) return linesOf(`${path}${name}.${option.name}.`, option.values);
				if ('type' in option) return linesOf(`${path}${name}.`, [option]);
				return `${path}${name} = ${String(option.value)}`;
			}),
		]);
}

async function fieldLines(): Promise<string[]> {
	const sandbox = await createSandbox({ records: 10, rateLimits: 'off' });
	const credentials = { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test };
	const linesFor = async (operation: string, form: string, parameters: IDataObject) => {
		const { items, error } = await runLicense({ operation, ...parameters }, { credentials });
		if (error) throw error;
		const [{ json } = { json: {} }] = items;
		return Object.keys(json).map((field) => `licensingData ${operation} ${form} gives ${field}`);
	};
	const { items } = await runLicense({ operation: 'getAll', limit: 1 }, { credentials });
	const { id, businessName, address } = items[0]?.json ?? {};
	const { zip } = address as IDataObject;
	const lines: string[] = [];
	for (const output of ['simplified', 'crmLead', 'selectedFields'])
		for (const operation of ['get', 'getAll', 'match']) {
			const match = { businessName, zip, noMatch: 'keep' };
			const more = { output, fields: choicesOf('fields'), licenseId: id, ...match };
			lines.push(...(await linesFor(operation, output, more)));
		}
	for (const groupBy of choicesOf('groupBy'))
		lines.push(...(await linesFor('count', groupBy, { groupBy: [groupBy] })));
	await sandbox.close();
	return lines;
}

async function surface(): Promise<string[]> {
	const parameters = [
		...nodes.map(([, { description }]) => description),
		...credentials.map(([, credential]) => credential),
	].flatMap(({ name, properties }) => linesOf(`${name} `, properties));
	return [...new Set([...parameters, ...(await fieldLines())])].sort();
}

/** The values of one parameter on one line, and so the fields of one output. */
function folded(lines: string[]): string {
	const folds = new Map<string, string[]>();
	for (const line of lines) {
		const [, start = line, value] = LISTED.exec(line) ?? [];
		folds.set(start, [...(folds.get(start) ?? []), ...(value === undefined ? [] : [value])]);
	}
	return [...folds].map(([start, values]) => `${start}${values.join(', ')}\n`).join('');
}

const unfolded = (text: string): string[] =>
	text
		.trimEnd()
		.split('\n')
		.flatMap((line) => {
			const [, start, values] = LISTED.exec(line) ?? [];
			return values?.split(', ').map((value) => `${start}${value}`) ?? line;
		});

/** A parameter's own name, a value, or a field. */
const nameIn = (line: string): string =>
	line.split(/ (?:=|gives) /)[1] ?? /([^ .]+) by default/.exec(line)?.[1] ?? line;

/** What has come or gone without a word in the changelog. */
function unsaid(frozen: string[], now: string[], changelog: string): string[] {
	const [, unreleased = ''] = /^## \[Unreleased\]\n([^]*?)(?=^## |$(?![^]))/m.exec(changelog) ?? [];
	const changed = [
		...frozen.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
		...now.filter((line) => !frozen.includes(line)).map((line) => `+ ${line}`),
	];
	return changed.filter((line) => !unreleased.includes(`\`${nameIn(line)}\``));
}

it('What saved workflows depend on is as frozen, or CHANGELOG.md names it under Unreleased', async () => {
	const now = await surface();
	if (process.env.SURFACE === 'write') writeFileSync(FROZEN, folded(now));
	const frozen = existsSync(FROZEN) ? unfolded(readFileSync(FROZEN, 'utf8')) : [];
	expect(frozen.length).toBeGreaterThan(300);
	expect(unsaid(frozen, now, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))).toEqual([]);
});
