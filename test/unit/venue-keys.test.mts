import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { holderKey } from '../../nodes/LicensingData/domain/holderKey.ts';
import { venueKey } from '../../nodes/LicensingData/matching/venueKey.ts';
import { ROOT } from '../support/manifest.mts';

/** Invented addresses in the spellings that registers, CRMs and people use. */
const SAME_VENUE = `
	1520 N 7th Ave, 33605 | 1520 North Seventh Avenue, 33605
	100 Main St., 33602 | 100   Main   St, 33602
	100 Main St Ste. 5, 33602 | Suite 5, 100 Main St, 33602
	100 Main St Suite B-210, 33602 | 100 Main St #B210, 33602
	100 Main St Bldg B Ste 210, 33602 | 100 Main St, Building B, Suite 210, 33602
	100 Main St 2nd Floor, 33602 | 100 Main St Fl 2, 33602
	100 Main St Space 9, 33602 | 100 Main St Spc 9, 33602
	100 Main St Unit No. 7, 33602 | 100 Main St #7, 33602
	2711 Northwest 2nd Avenue, 33127 | 2711 North West Second Ave, 33127
	801 Southeast 17 St, 33316 | 801 SE Seventeenth St, 33316
	1 Beach Dr SE, 33701 | One Beach Drive Southeast, 33701
	200 Central Av, 33701 | 200 Central Avenue, 33701
	7600 Harbour Pl, 34238 | 7600 Harbor Place, 34238
	18 Ocean Ter, 33139 | 18 Ocean Terrace, 33139
	18 Ocean Terr, 33139 | 18 OCEAN TER., 33139
	9100 Heron Xing, 34211 | 9100 Heron Crossing, 34211
	1200 Pelican Lndg, 34134 | 1200 Pelican Landing, 34134
	640 Mangrove Cv, 32250 | 640 Mangrove Cove, 32250
	410 Bay View Ter, 34683 | 410 Bay Vw Terrace, 34683
	1701 U.S. 1, 32960 | 1701 US-1, 32960
	29500 US Hwy 19 N, 33761 | 29500 U.S. Highway 19 North, 33761
	4420 Florida 60 E, 33566 | 4420 SR-60 East, 33566
	4420 S.R. 60, 33566 | 4420 State Route 60, 33566
	815 County Rd 220 Ste 3, 32003 | 815 C.R. 220 #3, 32003
	2600 State Road A1A, 32034 | 2600 A1A, 32034
	8900 N A1A, 32963 | 8900 North SR-A1A, 32963
	500 Dr Martin Luther King Jr St N, 33705 | 500 MLK St North, 33705
	62 St. George St, 32084 | 62 Saint George Street, 32084
	3300 Ft Caroline Rd, 32277 | 3300 Fort Caroline Road, 32277
	210 Ponce de Leon Blvd, 33134 | 210 PONCE DE LEÓN BOULEVARD, 33134
	88 O'Brien Way, 32789 | 88 OBrien Wy, 32789
	123 A Duval St, 33040 | 123a DUVAL ST, 33040
	99 Garden Causeway, 33706 | 99 Gdns Cswy, 33706
	4100 Town Centre Blvd Ste 12, 32246 | 4100 Town Center Blvd, #12, 32246
`;

const TWO_VENUES = `
	100 Main St, 33602 | 102 Main St, 33602
	100 Main St, 33602 | 100 Main St, 33603
	100 Main St Ste 5, 33602 | 100 Main St Ste 6, 33602
	100 Main St Ste 5, 33602 | 100 Main St, 33602
	100 Main St Bldg 5, 33602 | 100 Main St Bldg 5 Ste 2, 33602
	100 Main St, 33602 | 100 Main Ave, 33602
	100 N Main St, 33602 | 100 S Main St, 33602
	2711 NW 2nd Ave, 33127 | 2711 NE 2nd Ave, 33127
	2711 NW 2nd Ave, 33127 | 2711 NW 2nd St, 33127
	2711 NW 2nd Ave, 33127 | 2711 NW 22nd Ave, 33127
	1701 US Hwy 1, 32960 | 1701 US Hwy 41, 32960
	4420 State Road 60, 33566 | 4420 County Road 60, 33566
	100 Main St 2nd Floor, 33602 | 100 Main St 3rd Floor, 33602
	900 W Bay St, 32204 | 900 Bay St, 32204
`;

const readPairs = (table: string) =>
	table
		.trim()
		.split('\n')
		.map((line) => line.trim().split(' | ') as [string, string]);

const keyOf = (line: string) => {
	const [, street, zip] = /^(.*), (\S+)$/.exec(line) ?? [];
	return venueKey({ address: { street, zip } });
};

describe('The key of a venue', () => {
	it.each(readPairs(SAME_VENUE))('is the same for %s and %s', (one, other) => {
		expect(keyOf(one)).toEqual(expect.any(String));
		expect(keyOf(other)).toBe(keyOf(one));
	});

	it.each(readPairs(TWO_VENUES))('tells %s from %s', (one, other) => {
		expect(keyOf(other)).not.toBe(keyOf(one));
	});

	it('reads as the address does, in characters that every CRM takes', () => {
		expect(keyOf('1520 North 7th Avenue, Suite B, 33605-1234')).toBe('1520-n-7-ave-b-33605');
	});

	it.each([
		['no address', {}],
		[
			'a license in escrow',
			{ address: { street: '100 Main St', city: 'No City Code', zip: '99999' } },
		],
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
