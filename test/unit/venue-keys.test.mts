import { holderKey } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { compareStreets, streetOf, venueKey } from '../../nodes/LicensingData/match/street.ts';

// cspell:ignore palmteto león pllc
/** Made-up addresses, as the register writes them and as other directories do, with a ZIP code of the county. */
const ADDRESSES = {
	'the same door': `
	12340 SW 99 ST #601 | 12340 SW 99th Street, Bay 601 | 33186
	8801-03 S DIXIE HWY | 8801 S Dixie Hwy | 33143
	7 KING ST STE 104-105 | 7 King Street, Suites 104 & 105 | 32084
	7 KING ST A & B | 7 King Street, Suite A & B | 32084
	7 KING ST CU-8 | 7 King Street Unit CU 8 | 32084
	7 KING ST 10 | 7 King Street, Unit 10 | 32084
	7 BROADWAY STE101 | 7 Broadway Suite 101 | 32084
	7 KING ST UNIT 005 | 7 King Street#5 | 32084
	7 KING ST UNITS A-B | 7 King Street, Suite A & B | 32084
	7 CROCUS COVE DR 5 | 7 Crocus Cove Drive #5 | 32084
	7 BROADWAY N | 7 North Broadway | 32084
	7 KING ST BLDG C UNIT 9 | 7 King Street #C-9 | 32084
	9021 TAMIAMI TR | 9021 Tamiami Trail | 34285
	9021 TAMIAMI TR N | 9021 US Highway 41 N | 34108
	29511 US HIGHWAY 19 N | 29511 U.S. 19 North | 33761
	13110 PANAMA CITY BEACH PKWY | 13110 US Highway 98 | 32407
	8740 BIRD RD | 8740 SW 40th Street | 33165
	8740 N KENDALL DR | 8740 SW 88th Street | 33176
	8740 SUNSET DR | 8740 SW 72 ST | 33173
	100 Main St Unit No. 7 | 100 Main St #7 | 33602
	4420 N SR 7 203 | 4420 North State Road 7, Suite 203 | 33319
	3811 N WEST SHORE BLVD | 3811 N Westshore Blvd | 33607
	7 KING ST LOBBY | 7 King Street | 32084
	410 AVENUE E | 410 Ave. E | 33881
	1410 N W 7 AVE | 1410 NW 7th Avenue | 33136
	1410 A1A S | 1410 S Highway A1A | 32080
	1410 CR-466 STE 300 | 1410 County Road 466 #300 | 32162
	1410 OLD HWY 441 | 1410 Old US Highway 441 | 32757
	100 Main St Ste. 5 | Suite 5, 100 Main St | 33602
	100 Main St 2nd Floor | 100 Main St Fl 2 | 33602
	1 Beach Dr SE 5 | One Beach Drive Southeast, Unit 5 | 33701
	4420 Florida 60 E | 4420 SR-60 East | 33566
	2600 State Road A1A | 2600 A1A | 32034
	500 Dr Martin Luther King Jr St N | 500 MLK St North | 33705
	62 St. George St | 62 Saint George Street | 32084
	210 Ponce de Leon Blvd | 210 PONCE DE LEÓN BOULEVARD | 33134
	123 A Duval St | 123a DUVAL ST | 33040
	5300 E COUNTY HWY 30A | 5300 E County Road 30-A | 32459
	8900 N A1A | 8900 North SR-A1A | 32963
	410 A1A BEACH BLVD 5 | 410 A1A Beach Boulevard, Suite 5 | 32080
`,
	// For one who compares two addresses, but not for a key, which knows one.
	'the same if something is left out': `
	7 KING ST UNIT 209 | 7 King Street | 32084
	7 N KING ST | 7 King Street | 32084
	8801-8803 S DIXIE HWY | 8803 S Dixie Hwy | 33143
	7 KING ST STE 104-105 | 7 King St #105 | 32084
	7 KING ST BLDG C UNIT 9 | 7 King Street #9 | 32084
	7 PALMETTO ST | 7 Palmteto Street | 32084
`,
	'two units of one house': `
	7 KING ST STE 104-105 | 7 King Street, Suite 106 | 32084
	7 KING ST 1 | 7 King Street 11 | 32084
	7 KING ST BLDG C UNIT 9 | 7 King Street Bldg D Unit 9 | 32084
	100 Main St 2nd Floor | 100 Main St 3rd Floor | 33602
`,
	'two addresses': `
	12340 SW 99 ST | 12340 NW 99th Street | 33186
	12340 SW 99 ST | 12340 SW 99th Terrace | 33186
	12340 SW 9 ST 9 | 12340 SW 99th Street | 33186
	19 1/2 KING ST | 19 King Street | 32084
	191 KING ST | 19 King St #1 | 32084
	123A KING ST | 123 King Street | 32084
	29511 US HIGHWAY 19 | 29511 US Highway 19 Alt | 34683
	13110 HWY 98-A | 13110 US Highway 98 | 32407
	1410 CR-60 | 1410 State Road 60 | 33566
	8740 BIRD RD | 8740 SW 40th Street | 33607
	7 PEARL ST | 7 Pearle Street | 32084
	3811 NORTHSHORE DR | 3811 Southshore Dr | 33602
	1410 AVENUE N | 1410 Avenue S | 33880
	1410 AVENUE B | 1410 Avenue D | 33880
	1410 SW 99 STREET RD | 1410 SW 99th St | 34481
	1410 OLD HWY 441 | 1410 US Hwy 441 | 32757
`,
};
const ROWS = Object.entries(ADDRESSES).flatMap(([what, table]) =>
	table
		.trim()
		.split('\n')
		.map((line) => [what, ...line.trim().split(' | ')] as [string, string, string, string]),
);

const keyOf = (street: string, zip: string) => venueKey({ address: { street, zip } });

it.each(ROWS)('%s: %s and %s', (what, one, other, zip) => {
	const [a, b] = [one, other].map((street) => streetOf({ street, zip })!);
	const outcomes = { 'two units of one house': 'otherUnit', 'two addresses': 'other' };
	const outcome = outcomes[what as keyof typeof outcomes] ?? 'same';
	expect([compareStreets(a!, b!), compareStreets(b!, a!)]).toEqual([outcome, outcome]);
	const keys = [keyOf(one, zip), keyOf(other, zip)];
	if (what === 'the same door') expect(keys).toEqual([expect.any(String), keys[0]]);
	if (outcome !== 'same') expect(keys[1]).not.toBe(keys[0]);
});

describe('The key of a venue', () => {
	it.each([
		['another ZIP code', '100 Main St', '33602', '100 Main St', '33603'],
		['a unit', '100 Main St Ste 5', '33602', '100 Main St', '33602'],
		['a direction', '900 W Bay St', '32204', '900 Bay St', '32204'],
	])('is another with %s', (_, street, zip, otherStreet, otherZip) => {
		expect(keyOf(otherStreet, otherZip)).not.toBe(keyOf(street, zip));
	});

	it.each([
		['1520 North Seventh Avenue, Suite B', '33605', '1520-n-7-ave-b-33605'],
		['1520 N. 7th Ave #B', '33605-1234', '1520-n-7-ave-b-33605'],
		['12340 SW 99 ST #601', '331864807', '12340-sw-99-st-601-33186'],
	])('reads as the address does, in plain characters: %s, %s', (street, zip, key) => {
		expect(keyOf(street, zip)).toBe(key);
	});

	it.each([
		['no address', undefined],
		['a license in escrow', { street: '100 Main St', city: 'No City Code', zip: '33602' }],
		['an invented ZIP code', { street: '100 Main St', city: 'Tampa', zip: '99999' }],
		['no street', { zip: '33602' }],
		['no ZIP code', { street: '100 Main St' }],
		['no house number', { street: 'North Main St', zip: '33602' }],
		['a number and no street', { street: '100', zip: '33602' }],
		['a post office box', { street: 'P.O. Box 12, Main St', zip: '33602' }],
	])('is missing with %s', (_, address) => {
		expect(venueKey({ address })).toBeNull();
	});
});

describe('The key of a holder', () => {
	it.each([
		['Rusty Anchor, L.L.C.', 'RUSTY ANCHOR LLC', 'rusty-anchor-llc'],
		['The Rusty Anchor Limited Liability Company', 'Rusty Anchor LLC', 'rusty-anchor-llc'],
		['Over The Top, LLC', 'OVER THE TOP L.L.C.', 'over-the-top-llc'],
		['Smith & Sons Inc.', 'Smith and Sons, Incorporated', 'smith-and-sons-inc'],
		['Gulf Trading Co.', 'GULF TRADING COMPANY', 'gulf-trading-co'],
		['Joe’s Diner Inc', "JOE'S DINER, INC.", 'joes-diner-inc'],
		['Café Olé P.L.L.C.', 'Cafe Ole PLLC', 'cafe-ole-pllc'],
		['Palm Holdings L.P.', 'Palm Holdings Limited Partnership', 'palm-holdings-lp'],
	])('is the same for %s and %s', (one, other, key) => {
		for (const legalName of [one, other]) expect(holderKey({ legalName })).toBe(key);
	});
});
