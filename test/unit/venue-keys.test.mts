import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { holderKey } from '../../nodes/LicensingData/licenses/identity.ts';
import { venueKey } from '../../nodes/LicensingData/match/street.ts';
import { ROOT } from '../support/manifest.mts';

const keyOf = (street: string, zip: string) => venueKey({ address: { street, zip } });

describe('The key of a venue', () => {
	it.each([
		['another ZIP code', '100 Main St', '33602', '100 Main St', '33603'],
		['a unit', '100 Main St Ste 5', '33602', '100 Main St', '33602'],
		['a unit of a building', '100 Main St Bldg 5', '33602', '100 Main St Bldg 5 Ste 2', '33602'],
		['a direction', '900 W Bay St', '32204', '900 Bay St', '32204'],
	])('is another with %s', (_, street, zip, otherStreet, otherZip) => {
		expect(keyOf(otherStreet, otherZip)).not.toBe(keyOf(street, zip));
	});

	it('reads as the address does, in characters that every CRM takes', () => {
		expect(keyOf('1520 North 7th Avenue, Suite B', '33605-1234')).toBe('1520-n-7-ave-b-33605');
	});

	it.each([
		['no address', {}],
		[
			'a license in escrow',
			{ address: { street: '100 Main St', city: 'No City Code', zip: '33602' } },
		],
		['an invented ZIP code', { address: { street: '100 Main St', city: 'Tampa', zip: '99999' } }],
		['no street', { address: { zip: '33602' } }],
		['no ZIP code', { address: { street: '100 Main St' } }],
		['no house number', { address: { street: 'Main St', zip: '33602' } }],
		['a number and no street', { address: { street: '100', zip: '33602' } }],
		['a post office box', { address: { street: 'P.O. Box 12', zip: '33602' } }],
		['what is no text', { address: { street: 100 as never, zip: {} as never } }],
	])('is missing with %s', (_, license) => {
		expect(venueKey(license)).toBeNull();
	});
});

describe('The key of a holder', () => {
	it.each([
		['Rusty Anchor, L.L.C.', 'RUSTY ANCHOR LLC'],
		['The Rusty Anchor Limited Liability Company', 'Rusty Anchor LLC'],
		['Smith & Sons Inc.', 'Smith and Sons, Incorporated'],
		['Sunset Grill Corp', 'Sunset Grill Corporation'],
		['Gulf Trading Co.', 'GULF TRADING COMPANY'],
		['Joe’s Diner Inc', "JOE'S DINER, INC."],
		['Café Olé P.L.L.C.', 'Cafe Ole PLLC'],
		['Palm Holdings L.P.', 'Palm Holdings Limited Partnership'],
	])('is the same for %s and %s', (one, other) => {
		expect(holderKey({ legalName: one })).toEqual(expect.any(String));
		expect(holderKey({ legalName: other })).toBe(holderKey({ legalName: one }));
	});

	it.each([
		['Rusty Anchor LLC', 'Rusty Anchor Inc'],
		['Rusty Anchor LLC', 'Rusty Anchor'],
		['Rusty Anchor LLC', 'Rusty Anchor Holdings LLC'],
	])('tells %s from %s', (one, other) => {
		expect(holderKey({ legalName: other })).not.toBe(holderKey({ legalName: one }));
	});
});

describe('The examples of keys in docs/reference.md', () => {
	const reference = readFileSync(join(ROOT, 'docs', 'reference.md'), 'utf8');
	const examples = [...reference.matchAll(/^\| (.* · .*?) +\| `(.*)` +\|$/gm)].map(
		([, written = '', key = '']): [string, string] => [written, key],
	);

	it('are some of both', () => {
		expect(examples.filter(([, key]) => /\d{5}$/.test(key)).length).toBeGreaterThan(1);
		expect(examples.filter(([, key]) => !/\d{5}$/.test(key)).length).toBeGreaterThan(0);
	});

	it.each(examples)('%s is one', (written, key) => {
		const [zip] = /\d{5}$/.exec(key) ?? [];
		for (const text of written.split(' · ')) {
			const [, street, ownZip = zip] = /^(.*?)(?: \((.*)\))?$/.exec(text) ?? [];
			const keyOfText = zip
				? venueKey({ address: { street, zip: ownZip } })
				: holderKey({ legalName: text });
			expect(keyOfText).toBe(key);
		}
	});
});
