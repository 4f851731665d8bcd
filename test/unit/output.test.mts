import type { IDataObject } from 'n8n-workflow';

import { crmLead } from '../../nodes/LicensingData/output/outputForms.ts';
import { eventId } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { answer, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { license, page } from '../support/records.mts';

// cspell:ignore pérez
useAnswers();

const KNOWN = {
	enrichment: { phone: '813-555-0100', website: 'https://social.example/@bar' },
	...{ issuedDate: '2026-07-05', expirationDate: '2027-03-31', licenseSeries: '4COP-SFS' },
};

/** What comes out of the node for one record. */
async function output(record: License, form: string | undefined, more: IDataObject = {}) {
	answer('/licenses/lic_8f3k2m', { data: record });
	const parameters = { operation: 'get', licenseId: 'lic_8f3k2m', output: form };
	const ran = await runLicense({ ...parameters, ...more });
	if (ran.error) throw ran.error;
	return ran.items[0]?.json ?? {};
}

const lead = (more: License = {}) => crmLead(license(more));

describe('Simplified', () => {
	it('is what comes without a choice: ten fields and the ID of the event', async () => {
		expect(await output(license(KNOWN), undefined)).toEqual({
			businessName: 'The Rusty Anchor',
			legalName: 'Rusty Anchor Holdings LLC',
			address: '100 Bay Street, Tampa, FL 33602',
			phone: '813-555-0100',
			licenseType: 'COP',
			licenseNumber: 'COP-2026-001234',
			status: 'active',
			eventType: 'new_filing',
			filedDate: '2026-07-03',
			expirationDate: '2027-03-31',
			eventId: eventId(license()),
		});
	});

	it('of a list says what a filing is for, and no expiration', async () => {
		answer('/licenses', page([license()]));
		const { items } = await runLicense({ operation: 'getAll', output: 'simplified' });
		expect(items[0]?.json).toMatchObject({ filingKind: 'newLicense' });
		expect(items[0]?.json).not.toHaveProperty('expirationDate');
	});
});

describe('Selected Fields', () => {
	it.each<[string, unknown, IDataObject]>([
		['in a list', ['lat', 'legalName'], { lat: 27.95, legalName: 'Rusty Anchor Holdings LLC' }],
		['by the names of CRM Lead', 'city, Postal Code', { city: 'Tampa', postalCode: '33602' }],
		['that no interface names', '={{ ["tier", "toString"] }}', { tier: 'gold', toString: null }],
		['in short lines', 'sizes, note', { sizes: '{"small":[1,2]}', note: `a ${'x'.repeat(252)}…` }],
		['as people write them', 'City and ZIP Code', { city: 'Tampa', zip: '33602' }],
	])('brings what was chosen %s, and the IDs of license and event', async (_, fields, chosen) => {
		const note = `\u202Ea\n${'x'.repeat(90_000)}`;
		const record = license({ tier: 'gold', sizes: { small: [1, 2] }, note });
		const came = await output(record, 'selectedFields', { fields } as IDataObject);
		expect(came).toEqual({ id: 'lic_8f3k2m', eventId: eventId(record), ...chosen });
	});

	it('refuses a name that would change the item itself', async () => {
		const more = { output: 'selectedFields', fields: 'city, __proto__' };
		const { error } = await runLicense({ operation: 'get', licenseId: 'lic_1', ...more });
		expect(error?.message).toBe("'Fields' cannot include __proto__");
	});
});

/** What n8n's guidelines and sellers want on top, and what is for programs alone. */
it.each([
	['simplified', /^businessName legalName address phone licenseType .*status .*eventId$/],
	['crmLead', /^company legalName street city .*website .*leadId eventId venueKey holderKey$/],
	['selectedFields', /^businessName licenseType city county .*id eventId$/],
])('%s begins with what sellers read, and always has the same columns', async (form, order) => {
	const fields = Object.keys(await output(license(), form)).join(' ');
	expect(fields).toMatch(order);
	const empty = await output({ id: 'lic_1', address: { note: 'rear' } }, form);
	expect(Object.keys(empty).join(' ')).toBe(fields);
});

describe('Whatever a license says', () => {
	it.each([
		...['../../Account/001AAA?_HttpMethod=DELETE&x=', '..1', 'lic_1\r\nX-Evil: 1', '-1', '=1+1'],
		'1'.repeat(65),
	])('has a lead ID that is only a key: %j', (licenseNumber) => {
		const { leadId } = lead({ licenseNumber });
		expect(leadId).toMatch(/^hash_[0-9a-f]{20}$/);
		expect(lead({ licenseNumber, eventType: 'renewal', status: 'closed' }).leadId).toBe(leadId);
		expect(lead({ licenseNumber, legalName: 'Other Inc' }).leadId).not.toBe(leadId);
		expect(lead({ id: licenseNumber, licenseNumber: null }).leadId).toBe(leadId);
	});

	it.each([
		['COP-1', 'THE RUSTY ANCHOR, L.L.C.', 'COP-1-rusty-anchor-llc'],
		[' COP-1 ', ' ', 'COP-1'],
		...[null, 'N/A', '0000', 'PENDING'].map((number) => [number, null, 'lic_8f3k2m']),
	])('has a lead ID from the number %j and the holder %j, or its ID', (number, holder, leadId) => {
		expect(lead({ licenseNumber: number, legalName: holder }).leadId).toBe(leadId);
		expect(lead({ licenseNumber: ' ', id: null }).leadId).toBeNull();
	});

	it.each(['simplified', 'crmLead', 'selectedFields'])(
		'has short single lines and no finding of others as %s, and all as Raw',
		async (form) => {
			const text = 'Tampa\r\nBcc: x@example.com\u2028\u2029\u0085\u000b\u0000\tend\n';
			const address = { street: text, city: text, county: text, state: text, zip: text };
			const { id, address: _, ...others } = license();
			const fields = Object.keys(others);
			const texts = Object.fromEntries(fields.map((field) => [field, text]));
			const record: License = { id, ...texts, address, tier: { a: [1] } };
			const findings = { matchReason: 'x', matchScore: 2, distanceMiles: '=1' };
			const chosen = [...fields, ...Object.keys(address), 'matchScore'];
			const came = await output({ ...record, ...findings }, form, { fields: chosen });
			const values = Object.values(came);
			expect(values).toContain('Tampa Bcc: x@example.com end');
			for (const value of values) expect(String(value)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
			for (const finding of Object.keys(findings)) expect(came[finding] ?? null).toBeNull();
			expect(await output({ ...record, ...findings }, 'raw')).toEqual(record);
		},
	);

	it.each([
		['\u2066\u202EJo\u200Be\u2069\u00AD\uFEFF Grill', 'Joe Grill'],
		['x'.repeat(90_000), `${'x'.repeat(254)}…`],
		[`${'x'.repeat(253)}🍺🍺`, `${'x'.repeat(253)}…`],
		['Half \ud83c moon', 'Half   moon'],
		[['a'], null],
	])('holds no invisible character, no half emoji, and no text without end: %#', (text, line) => {
		const came = lead({ legalName: text as string, businessName: text as string });
		expect(came.legalName).toBe(line);
		expect(String(came.description).length).toBeLessThan(1500);
	});

	it.each([
		...['javascript:alert(1)', 'https://x.example/"onmouseover="alert(1)'],
		...[`https://x.example/${'x'.repeat(3000)}`, 'https://evil.example/\u202Egnp.exe'],
		'https://good.example:443@evil.example',
		{ url: 'https://x.example/' },
	])('links to nothing but a web address, and nowhere else than it seems to: %#', (link) => {
		const came = lead({ sourceUrl: link as string, enrichment: { website: link as string } });
		expect(came).toMatchObject({ sourceUrl: null, website: null });
	});

	it('has coordinates that are numbers, or none', () => {
		const address = { lat: ' 27.95 ', lng: 'west' } as never;
		expect(lead({ address })).toMatchObject({ latitude: 27.95, longitude: null });
	});
});

describe('CRM Lead', () => {
	it('is named as CRMs name their columns', async () => {
		expect(await output(license(KNOWN), 'crmLead')).toEqual({
			leadId: 'COP-2026-001234-rusty-anchor-holdings-llc',
			eventId: eventId(license()),
			venueKey: '100-bay-st-33602',
			holderKey: 'rusty-anchor-holdings-llc',
			company: 'The Rusty Anchor',
			legalName: 'Rusty Anchor Holdings LLC',
			street: '100 Bay Street',
			city: 'Tampa',
			state: 'FL',
			postalCode: '33602',
			country: 'US',
			county: 'Hillsborough',
			phone: '813-555-0100',
			website: 'https://social.example/@bar',
			latitude: 27.95,
			longitude: -82.46,
			licenseNumber: 'COP-2026-001234',
			licenseType: 'COP',
			licenseTypeName: 'Consumption on Premises (COP)',
			licenseSeries: '4COP-SFS',
			isLiquor: true,
			licenseStatus: 'active',
			event: 'new_filing',
			eventName: 'New Filing',
			filingKind: 'newLicense',
			eventTimestamp: '2026-07-03T14:30:00Z',
			filedDate: '2026-07-03',
			issuedDate: '2026-07-05',
			effectiveDate: '2026-07-10',
			expirationDate: '2027-03-31',
			leadSource: 'Florida License Filings',
			description:
				'The Rusty Anchor in Tampa, Hillsborough County got a new Consumption on Premises (COP) license, filed on 2026-07-03.',
			sourceUrl: 'https://records.example.com/COP-2026-001234',
		});
	});

	it('names the company by another name where the first is missing', () => {
		expect(lead({ businessName: '' }).company).toBe('Rusty Anchor');
		const holder = { businessName: null, dbaName: undefined };
		expect(lead(holder).company).toBe('Rusty Anchor Holdings LLC');
	});

	it.each<[License, string]>([
		[{ eventType: 'renewal' }, ' in Tampa, Hillsborough County renewed its Consumption on'],
		[
			{ eventType: 'ownership_transfer' },
			' got a new holder for its Consumption on Premises (COP)',
		],
		[{ eventType: 'status_change' }, ' got a new status for its Consumption on Premises (COP)'],
		[{ eventType: 'cancellation' }, ' canceled its Consumption on Premises (COP) license on 2026'],
		[{ eventType: 'inspection', eventTimestamp: '2026-08-09' }, 'activity on its Consumption on'],
		[{ eventType: 'renewal', eventTimestamp: '2026-08-09' }, 'license on 2026-08-09.'],
		[{ address: { city: 'Tampa', county: 'Lee County' } }, ' in Tampa, Lee County got'],
		[{ address: { county: 'Lee' } }, ' in Lee County got'],
		[{ address: null }, 'The Rusty Anchor got'],
		[{ licenseNumber: 'COP-2019-1' }, 'took over a Consumption on Premises (COP) license, filed'],
		[{ licenseNumber: '10001' }, ' County got a Consumption on Premises (COP) license, filed on'],
		[{ status: 'pending' }, 'filed for a new Consumption on Premises (COP) license on 2026-07-03.'],
		[{ licenseType: 'WINE' }, 'a new WINE license'],
		[{ licenseType: null }, 'got a new license, filed on'],
		[{ filedDate: null, eventTimestamp: '2026-07-04T01:00:00Z' }, 'license on 2026-07-04.'],
		[{ filedDate: null, eventTimestamp: null }, '(COP) license.'],
		[{ previousLegalName: 'Old Llc' }, ': Old LLC before, Rusty Anchor Holdings LLC now.'],
		[{ previousAddress: '1 Elm St' }, ': 1 Elm St before, 100 Bay Street, Tampa, FL 33602 now.'],
		[{ previousStatus: 'pending' }, ': pending before, active now.'],
		[{ previousStatus: 'active' }, 'license, filed on 2026-07-03.'],
	])('describes a record with %o', (more, words) => {
		expect(lead(more).description).toContain(words);
	});
});

describe('What people read is as people write it', () => {
	const inCity = (city: string) => lead({ address: { city } }).city;
	const atZip = (zip: string) => lead({ address: { zip } }).postalCode;
	const named = (name: string) => {
		const { company, legalName } = lead({ businessName: name, legalName: name });
		return company === legalName ? company : undefined;
	};

	it.each([
		[inCity, 'MD MIAMI', 'Miami'],
		[inCity, 'ATLANTIS ON THE MOON', 'ATLANTIS ON THE MOON'],
		[atZip, '331304807', '33130-4807'],
		[atZip, 'FL 331304807', 'FL 331304807'],
		[named, 'Marino & Lopez Holdings Llc', 'Marino & Lopez Holdings LLC'],
		[named, 'Anchor Ii, Inc', 'Anchor II, Inc.'],
		[named, 'Ltd Edition Inc.', 'Ltd Edition Inc.'],
		[named, "Vi's Xi Cafe", "Vi's Xi Cafe"],
		[named, 'PÃ\u0083Â©rez', 'Pérez'],
		[named, 'Ã la carte', 'Ã la carte'],
	])('%o of %s is %s', (read, came, written) => {
		expect(read(came)).toBe(written);
	});
});
