import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { createSandbox } from '../../sandbox/index.mts';
import { readText, ROOT } from '../support/manifest.mts';
import { credentials, nodes } from '../support/node-classes.mts';
import { runLicense } from '../support/nodes.mts';
import { choicesOf } from '../support/operations.mts';

/** What the last release has, or the first one will have. */
const FROZEN = 'test/unit/surface.txt';

/** A default counts as well: n8n does not save what equals it. */
function linesOf(path: string, properties: INodeProperties[]): string[] {
	return properties
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, default: usual, options = [] }) => {
			const values = options.flatMap((option) => ('value' in option ? String(option.value) : []));
			return [
				`${path}${name} by default ${JSON.stringify(usual)}`,
				...(values.length > 0 ? [`${path}${name} = ${values.sort().join(', ')}`] : []),
				...options.flatMap((option) => {
					if ('values' in option) return linesOf(`${path}${name}.${option.name}.`, option.values);
					return 'type' in option ? linesOf(`${path}${name}.`, [option]) : [];
				}),
			];
		});
}

async function surface(): Promise<string[]> {
	const lines = [
		...nodes.map(([, { description }]) => description),
		...credentials.map(([, credential]) => credential),
	].flatMap(({ name, properties }) => linesOf(`${name} `, properties));
	const sandbox = await createSandbox({ records: 10, rateLimits: 'off' });
	const service = { credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test } };
	const lineFor = async (operation: string, form: string, parameters: IDataObject) => {
		const { items, error } = await runLicense({ operation, ...parameters }, service);
		if (error) throw error;
		const [{ json } = { json: {} }] = items;
		return `licensingData ${operation} ${form} gives ${Object.keys(json).sort().join(', ')}`;
	};
	const { items } = await runLicense({ operation: 'getAll', limit: 1 }, service);
	const { id, businessName, address } = items[0]?.json ?? {};
	const { zip } = address as IDataObject;
	for (const output of ['simplified', 'crmLead', 'selectedFields'])
		for (const operation of ['get', 'getAll', 'match']) {
			const match = { businessName, zip, noMatch: 'keep' };
			const more = { output, fields: choicesOf('fields'), licenseId: id, ...match };
			lines.push(await lineFor(operation, output, more));
		}
	for (const groupBy of choicesOf('groupBy'))
		lines.push(await lineFor('count', groupBy, { groupBy: [groupBy] }));
	await sandbox.close();
	return [...new Set(lines)].sort();
}

/** A default, a value or a field each. */
const factsIn = (line: string): string[] => {
	const [start = '', values] = line.split(/(?<= = | gives )/);
	return values?.split(', ').map((value) => `${start}${value}`) ?? [start];
};

/** A parameter's own name, a value, or a field. */
const nameIn = (fact: string): string =>
	fact.split(/ (?:=|gives) /)[1] ?? /([^ .]+) by default/.exec(fact)?.[1] ?? fact;

it('What saved workflows depend on is as frozen, or CHANGELOG.md names it under Unreleased', async () => {
	const lines = await surface();
	if (process.env.SURFACE === 'write') writeFileSync(join(ROOT, FROZEN), `${lines.join('\n')}\n`);
	const now = lines.flatMap(factsIn);
	const frozen = readText(FROZEN).trimEnd().split('\n').flatMap(factsIn);
	expect(frozen.length).toBeGreaterThan(300);
	const [, unreleased = ''] =
		/^## \[Unreleased\]\n([^]*?)(?=^## |$(?![^]))/m.exec(readText('CHANGELOG.md')) ?? [];
	const isUnsaid = (fact: string) => !unreleased.includes(`\`${nameIn(fact)}\``);
	const come = now.filter((fact) => !frozen.includes(fact) && isUnsaid(fact));
	const gone = frozen.filter((fact) => !now.includes(fact) && isUnsaid(fact));
	expect({ come, gone }).toEqual({ come: [], gone: [] });
});
