import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { crmLead } from '../../nodes/LicensingData/output/outputForms.ts';
import { gulfCounty, type Filing } from '../support/gulf-county.mts';
import { ROOT } from '../support/manifest.mts';

interface Step {
	name: string;
	parameters: {
		jsCode?: string;
		columns?: { value: Record<string, string> };
		filters?: { conditions: Array<{ keyName: string; keyValue: string }> };
	};
}

type Row = Record<string, unknown>;

interface Answer {
	venue: string;
	licensesOfHolder: number | null;
	note: string;
}

function stepOf(file: string, name: string): Step['parameters'] {
	const text = readFileSync(join(ROOT, 'workflows', file), 'utf8');
	const { nodes } = JSON.parse(text) as { nodes: Step[] };
	return nodes.find((node) => node.name === name)?.parameters ?? {};
}

/** Reads an expression of a workflow as n8n does. */
const expression = (text: string) =>
	new Function('$json', `return ${text.slice(3, -2)}`) as (lead: object) => unknown;

const { columns } = stepOf('venue-register.json', 'Fill Register');
const cells = Object.entries(columns?.value ?? {}).map(
	([column, text]) => [column, expression(text)] as const,
);
/** What the register keeps of a license. */
function rowOf(license: License): Row {
	const lead = crmLead(license);
	return Object.fromEntries(cells.map(([column, read]) => [column, read(lead)]));
}

const { filters } = stepOf('new-or-known-venue.json', 'Find in Register');
const conditions = (filters?.conditions ?? []).map(
	({ keyName, keyValue }) => [keyName, expression(keyValue)] as const,
);

const { jsCode = '' } = stepOf('new-or-known-venue.json', 'Compare');
const compare = new Function('$input', '$', jsCode) as (...given: unknown[]) => Array<{
	json: Answer;
}>;

/** The register, and what is asked of it. */
class Register {
	private readonly rows = new Map<string, Row[]>();

	add(licenses: License[]): void {
		for (const row of licenses.map(rowOf)) {
			for (const [column] of conditions) this.find(column, row[column]).push(row);
		}
	}

	/** Looks leads up as n8n does. */
	lookUp(licenses: License[]): Answer[] {
		const leads = licenses.map((license) => crmLead(license));
		const found = leads.flatMap((lead) =>
			conditions.flatMap(([column, read]) => this.find(column, read(lead))),
		);
		const items = (of: object[]) => ({ all: () => of.map((json) => ({ json })) });
		// Where nothing is found, n8n brings an empty item.
		const input = items(found.length > 0 ? found : [{}]);
		return compare(input, () => items(leads)).map(({ json }) => json);
	}

	private find(column: string, value: unknown): Row[] {
		const key = `${column} ${String(value)}`;
		const rows = this.rows.get(key) ?? [];
		this.rows.set(key, rows);
		return rows;
	}
}

/** Fills a register with the first part of a town's licenses, and looks up the others, a few at a time. */
function measure(town: Filing[]) {
	const known = Math.floor(town.length * 0.7);
	const register = new Register();
	register.add(town.slice(0, known).map(({ license }) => license));
	const judged = [];
	for (let at = known; at < town.length; at += 5) {
		const batch = town.slice(at, at + 5);
		const licenses = batch.map(({ license }) => license);
		for (const [index, { venue, licensesOfHolder }] of register.lookUp(licenses).entries()) {
			const { before = [], held } = batch[index] ?? {};
			const isRight = venue === (before.length > 0 ? 'known venue' : 'new venue');
			const said = venue === 'unknown' ? venue : isRight ? 'right' : 'wrong';
			judged.push({ said, isHeldRight: licensesOfHolder === held });
		}
		register.add(licenses);
	}
	return judged;
}

it('A license has the same row, whichever step of the two workflows writes it', () => {
	const writers = [
		stepOf('venue-register.json', 'Keep One Row'),
		stepOf('new-or-known-venue.json', 'Add to Register'),
	];
	for (const writer of writers) expect(writer.columns?.value).toEqual(columns?.value);
});

/** Made up by somebody who did not know how leads are looked up, and who spells in many more ways. */
it.each([
	[0, '100% right, 0% unknown and 0% wrong'],
	[1, '84% right, 8% unknown and 9% wrong'],
])(
	'New leads in a county that an outsider made up are answered as often rightly as is known (slips: %i)',
	(slips, known) => {
		const judged = [1, 2, 3].flatMap((seed) => measure(gulfCounty(seed, 400, slips)));
		const share = (is: (one: (typeof judged)[number]) => boolean) =>
			`${Math.round((100 * judged.filter(is).length) / judged.length)}%`;
		const [right, unknown, wrong] = ['right', 'unknown', 'wrong'].map((what) =>
			share(({ said }) => said === what),
		);
		expect(`${right} right, ${unknown} unknown and ${wrong} wrong`).toBe(known);
		// A holder whose legal form is left out is another holder to the register.
		expect(share(({ isHeldRight }) => isHeldRight)).toBe('72%');
		const documentation = readFileSync(join(ROOT, 'docs', 'workflows.md'), 'utf8');
		if (slips > 0) expect(documentation).toContain(known);
	},
);

describe('The note of a lead', () => {
	const AT = { street: '700 Channelside Drive', city: 'Tampa', state: 'FL', zip: '33602' };
	let filed = 0;
	/** Each is filed a day after the one before. */
	const license = (
		businessName: string,
		legalName: string | null,
		more: License = {},
	): License => ({
		...{ id: `lic_${++filed}`, licenseType: 'COP', eventType: 'new_filing', address: AT },
		eventTimestamp: new Date(Date.UTC(2026, 0, filed)).toISOString(),
		...{ businessName, legalName, ...more },
	});
	const at = (street: string | null): License => ({ address: { ...AT, street } });
	const anchor = () => license('The Rusty Anchor', 'Old Salt LLC');
	const shop = () => license('Shop', 'Shop LLC', at('700 Channelside Dr #5'));
	const places = (count: number, more: License = {}) =>
		Array.from({ length: count }, (_, index) =>
			license(`Bright ${index}`, 'Bright Water, Inc.', { ...at(`${index} Harbor Place`), ...more }),
		);
	const gecko = (more?: License) => license('Neon Gecko', 'BRIGHT WATER INC', more);
	const elsewhere = { address: { ...AT, zip: '33701' } };
	const FIRST = 'First license of this holder.';
	const WAS_THERE = 'The Rusty Anchor was at this address.';
	const NO_OTHER = 'No other license was at this address.';
	const MISSING_UNIT = 'It may be a known venue: a license in this building has no unit number.';

	it.each<[what: string, known: License[], lead: License, ...note: string[]]>([
		[
			'a third license, and who was there',
			[anchor(), ...places(2)],
			gecko(),
			'Third license of this holder.',
			WAS_THERE,
		],
		['an eleventh license', places(10), gecko(), 'Licenses of this holder: 11.', NO_OTHER],
		['no canceled one', places(2, { eventType: 'cancellation' }), gecko(), FIRST, NO_OTHER],
		['the latest', [license('Palm', 'Palm LLC'), anchor()], gecko(), FIRST, WAS_THERE],
		[
			'nobody who came later',
			[license('Later', 'Later LLC', { eventTimestamp: '2027-01-01' })],
			gecko(),
			FIRST,
			NO_OTHER,
		],
		[
			'another license of the same holder',
			[license('Old Name', 'Bright Water Inc')],
			gecko(),
			'Second license of this holder.',
			'This holder has a license at this address already.',
		],
		[
			'the same name as no former business',
			[license('NEON GECKO, LLC', 'Old Salt LLC')],
			gecko(),
			FIRST,
			'Another license was at this address.',
		],
		['no holder that is not known', [anchor()], license('Neon Gecko', null), WAS_THERE],
		[
			'what a missing street may hide',
			[anchor()],
			gecko(at(null)),
			FIRST,
			'Address incomplete: it may be a known venue.',
		],
		['what a missing unit may hide', [shop()], gecko(), FIRST, MISSING_UNIT],
		[
			'what a unit missing in the register may hide',
			[anchor()],
			gecko(at('700 Channelside Dr #5')),
			FIRST,
			MISSING_UNIT,
		],
		['two doors apart', [shop()], gecko(at('700 Channelside Dr #6')), FIRST, NO_OTHER],
		['two ZIP codes apart', [anchor()], gecko(elsewhere), FIRST, NO_OTHER],
		['nothing of itself', [], gecko(), FIRST, NO_OTHER],
	])('tells %s', (_, known, lead, ...note) => {
		const register = new Register();
		register.add(known);
		const [answer] = register.lookUp([lead]);
		expect(answer?.note).toBe(note.join(' '));
		// Also when the register has it already.
		register.add([lead]);
		expect(register.lookUp([lead])).toEqual([answer]);
	});

	it('tells a lead about those that came with it', () => {
		const answers = new Register().lookUp([anchor(), gecko()]);
		expect(answers.map(({ note }) => note)).toEqual([
			`${FIRST} ${NO_OTHER}`,
			`${FIRST} ${WAS_THERE}`,
		]);
	});
});
