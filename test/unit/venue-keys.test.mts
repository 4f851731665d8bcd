import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { holderKey } from '../../nodes/LicensingData/domain/holderKey.ts';
import { venueKey } from '../../nodes/LicensingData/matching/venueKey.ts';
import { ROOT } from '../support/manifest.mts';

/** Invented addresses in the spellings that registers, CRMs and people use. */
const SAME_VENUE = `
	1520 N 7th Ave, 33605 | 1520 North Seventh Avenue, 33605
	1520 N. 7TH AVE., 33605-1234 | 1520 n 7 ave, 33605
	100 Main St, 33602 | 100 MAIN STREET, 33602
	100 Main St., 33602 | 100   Main   St, 33602
	100 Main St Ste 5, 33602 | 100 Main Street, Suite 5, 33602
	100 Main St #5, 33602 | 100 Main St Unit 5, 33602
	100 Main St # 5, 33602 | 100 Main St Suite #5, 33602
	100 Main St Ste. 5, 33602 | Suite 5, 100 Main St, 33602
	100 Main St Apt 5-A, 33602 | 100 Main St #5A, 33602
	100 Main St Ste B, 33602 | 100 Main St Unit B, 33602
	100 Main St Suite B-210, 33602 | 100 Main St #B210, 33602
	100 Main St Bldg B Ste 210, 33602 | 100 Main St, Building B, Suite 210, 33602
	100 Main St 2nd Floor, 33602 | 100 Main St Fl 2, 33602
	100 Main St Floor 2, 33602 | 100 Main St 2nd Fl, 33602
	100 Main St Room 12, 33602 | 100 Main St Rm 12, 33602
	100 Main St Space 9, 33602 | 100 Main St Spc 9, 33602
	100 Main St Bay 4, 33602 | 100 Main St #4, 33602
	100 Main St Unit No. 7, 33602 | 100 Main St #7, 33602
	2711 NW 2nd Ave, 33127 | 2711 N.W. 2nd Avenue, 33127
	2711 Northwest 2nd Avenue, 33127 | 2711 North West Second Ave, 33127
	801 SE 17th St, 33316 | 801 S.E. 17th Street, 33316
	801 Southeast 17 St, 33316 | 801 SE Seventeenth St, 33316
	3250 NE 1st Ave #107, 33137 | 3250 Northeast First Avenue Suite 107, 33137
	45 SW 8th St, 33130 | 45 South West Eighth Street, 33130
	900 W Platt St, 33606 | 900 West Platt Street, 33606
	5300 E Busch Blvd, 33617 | 5300 East Busch Boulevard, 33617
	401 Channelside Dr, 33602 | 401 Channelside Drive, 33602
	1 Beach Dr SE, 33701 | One Beach Drive Southeast, 33701
	2 Lake Ct, 34747 | Two Lake Court, 34747
	200 Central Av, 33701 | 200 Central Avenue, 33701
	350 Clematis St, 33401 | 350 Clematis Str, 33401
	600 Brickell Plz, 33131 | 600 Brickell Plaza, 33131
	7600 Harbour Pl, 34238 | 7600 Harbor Place, 34238
	18 Ocean Ter, 33139 | 18 Ocean Terrace, 33139
	18 Ocean Terr, 33139 | 18 OCEAN TER., 33139
	5021 Tamiami Trl N, 34103 | 5021 Tamiami Trail North, 34103
	2400 Kings Pkwy, 32804 | 2400 Kings Parkway, 32804
	3100 Palm Trce Cir, 33328 | 3100 Palm Trce Circle, 33328
	77 Sawgrass Ln, 33323 | 77 Sawgrass Lane, 33323
	9100 Heron Xing, 34211 | 9100 Heron Crossing, 34211
	1200 Pelican Lndg, 34134 | 1200 Pelican Landing, 34134
	640 Mangrove Cv, 32250 | 640 Mangrove Cove, 32250
	15 Citrus Sq, 34711 | 15 Citrus Square, 34711
	220 Colony Hts, 32301 | 220 Colony Heights, 32301
	980 Coral Ridge Rd, 33065 | 980 Coral Rdg Road, 33065
	14 Cypress Vlg, 33573 | 14 Cypress Village, 33573
	410 Bay View Ter, 34683 | 410 Bay Vw Terrace, 34683
	6000 International Dr, 32819 | 6000 International Drive, 32819
	1701 US Hwy 1, 32960 | 1701 US Highway 1, 32960
	1701 U.S. 1, 32960 | 1701 US-1, 32960
	1701 Highway US 1, 32960 | 1701 US Route 1, 32960
	29500 US Hwy 19 N, 33761 | 29500 U.S. Highway 19 North, 33761
	4420 State Road 60, 33566 | 4420 SR 60, 33566
	4420 State Rd. 60, 33566 | 4420 FL-60, 33566
	4420 Florida 60 E, 33566 | 4420 SR-60 East, 33566
	4420 S.R. 60, 33566 | 4420 State Route 60, 33566
	815 County Road 220, 32003 | 815 CR 220, 32003
	815 CR-220, 32003 | 815 Co Rd 220, 32003
	815 County Rd 220 Ste 3, 32003 | 815 C.R. 220 #3, 32003
	2600 State Road A1A, 32034 | 2600 A1A, 32034
	2600 SR A1A, 32034 | 2600 A-1-A, 32034
	2600 S Highway A1A, 32951 | 2600 South Hwy. A1A, 32951
	8900 N A1A, 32963 | 8900 North SR-A1A, 32963
	1000 Dr. Martin Luther King Jr. Blvd, 33607 | 1000 MLK Blvd, 33607
	1000 W Martin Luther King Blvd, 33607 | 1000 West M.L.K. Jr Boulevard, 33607
	500 Dr Martin Luther King Jr St N, 33705 | 500 MLK St North, 33705
	1200 St Johns Ave, 32177 | 1200 Saint Johns Avenue, 32177
	62 St. George St, 32084 | 62 Saint George Street, 32084
	3300 Ft Caroline Rd, 32277 | 3300 Fort Caroline Road, 32277
	19 Mt Vernon Ct, 32765 | 19 Mount Vernon Court, 32765
	700 Port Royal Ln, 34102 | 700 Prt Royal Lane, 34102
	210 Ponce de Leon Blvd, 33134 | 210 PONCE DE LEÓN BOULEVARD, 33134
	88 O'Brien Way, 32789 | 88 OBrien Wy, 32789
	123A Duval St, 33040 | 123-A Duval Street, 33040
	123 A Duval St, 33040 | 123a DUVAL ST, 33040
	1015 Atlantic Blvd, 32233 | 1015 Atlantic Boul, 32233
	44 Gulf Shore Dr, 32541 | 44 Gulf Shores Drive, 32541
	300 Palafox Pl, 32502 | 300 PALAFOX PLACE, 32502
	7 Island Ests, 33767 | 7 Is Ests, 33767
	1440 Lake View Trl, 34442 | 1440 Lk View Trail, 34442
	508 Orange Gdns, 34741 | 508 Orange Gardens, 34741
	3 Seven Springs Blvd, 34655 | 3 Seven Spgs Boulevard, 34655
	99 Garden Causeway, 33706 | 99 Gdns Cswy, 33706
	2020 Turnpike Fwy Ext, 34945 | 2020 Tpke Fwy Ext, 34945
	4100 Town Center Pkwy, 32246 | 4100 Town Ctr Parkway, 32246
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
	it('is judged by a hundred pairs', () => {
		expect([...readPairs(SAME_VENUE), ...readPairs(TWO_VENUES)]).toHaveLength(100);
	});

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

	it.each([undefined, null, '', ' . ', 7 as never])('is missing with the name %s', (legalName) => {
		expect(holderKey({ legalName })).toBeNull();
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
