import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { crmLead } from '../../nodes/LicensingData/output/outputForms.ts';
import { eventId } from '../../nodes/LicensingData/licenses/identity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { answer, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { license, page } from '../support/records.mts';

useAnswers();

/** Made up, as all of this is. */
const ENRICHMENT = {
	...{ phone: '813-555-0100', website: 'https://rusty-anchor.example.com/', naicsCode: '722410' },
	...{ naicsDescription: 'Drinking Places', employeeCount: 12, yearsInBusiness: 3 },
};

/** What comes out of the node for one record. */
async function output(record: License, parameters: IDataObject): Promise<IDataObject | undefined> {
	answer('/licenses/lic_8f3k2m', { data: record });
	const ran = await runLicense({ operation: 'get', licenseId: 'lic_8f3k2m', ...parameters });
	if (ran.error) throw ran.error;
	return ran.items[0]?.json;
}

describe('Simplified', () => {
	it('is what comes without a choice: flat, ten fields and the ID of the event, the address in one line', async () => {
		expect(
			await output(license({ enrichment: ENRICHMENT, expirationDate: '2027-03-31' }), {
				output: undefined,
			}),
		).toEqual({
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

	it('of a list says what a filing is for, and not until when a license is valid', async () => {
		answer('/licenses', page([license()]));
		const { items } = await runLicense({ operation: 'getAll', output: 'simplified' });
		expect(items[0]?.json).toMatchObject({ filingKind: 'newLicense' });
		expect(items[0]?.json).not.toHaveProperty('expirationDate');
	});

	it('has the same columns for a record that has nothing', async () => {
		const full = (await output(license(), { output: 'simplified' })) ?? {};
		const empty =
			(await output({ id: 'lic_1', address: { note: 'rear' } }, { output: 'simplified' })) ?? {};
		expect(Object.keys(empty)).toEqual(Object.keys(full));
		expect(new Set(Object.values(empty))).toEqual(
			new Set([eventId({ id: 'lic_1', address: { note: 'rear' } }), null]),
		);
	});

	it.each([
		[
			'without a ZIP code',
			{ street: '1 A St', city: 'Tampa', state: 'FL', zip: null },
			'1 A St, Tampa, FL',
		],
		['with parts that are no text', { street: { line: '1 A St' }, zip: 33602 }, '33602'],
		['with blank parts', { street: ' ', city: 'Tampa', state: '' }, 'Tampa'],
		['that is null', null, null],
	])('makes a line of an address %s', async (_, address, line) => {
		const record = license({ address: address as License['address'] });
		expect((await output(record, { output: 'simplified' }))?.address).toBe(line);
	});
});

describe('Raw', () => {
	it('leaves fields and values that nobody has named yet untouched', async () => {
		const record = { ...license(), licenseType: 'WINE', tier: { a: [1] } };
		expect(await output(record, { output: 'raw' })).toEqual(record);
	});
});

describe('Selected Fields', () => {
	const select = (fields: unknown, record: License = license()) =>
		output(record, { output: 'selectedFields', fields: fields as string[] });

	it('brings what was chosen, and the IDs of license and event', async () => {
		expect(await select(['city', 'lat', 'legalName'])).toEqual({
			id: 'lic_8f3k2m',
			eventId: eventId(license()),
			city: 'Tampa',
			lat: 27.95,
			legalName: 'Rusty Anchor Holdings LLC',
		});
	});

	it('knows the names of CRM Lead as well, so that a table can be filled as it is', async () => {
		expect(await select('company, Postal Code, leadId')).toEqual({
			id: 'lic_8f3k2m',
			eventId: eventId(license()),
			company: 'The Rusty Anchor',
			postalCode: '33602',
			leadId: 'COP-2026-001234-rusty-anchor-holdings-llc',
		});
	});

	it('brings a field that the interface does not name', async () => {
		const record = license({ tier: 'gold' });
		expect(await select('={{ ["tier", "constructor"] }}', record)).toEqual({
			id: 'lic_8f3k2m',
			eventId: eventId(record),
			tier: 'gold',
			constructor: null,
		});
	});

	it.each(['city, zip', '["city", "zip"]', 'City and ZIP Code'])(
		'understands a text of names, as an agent gives it: %s',
		async (names) => {
			expect(await select(names)).toEqual({
				id: 'lic_8f3k2m',
				eventId: eventId(license()),
				city: 'Tampa',
				zip: '33602',
			});
		},
	);

	it.each([
		['={{ [["city"]] }}', "'Fields' is not text"],
		['city, __proto__', "'Fields' cannot include __proto__"],
	])('refuses the fields %s', async (fields, message) => {
		const more = { output: 'selectedFields', fields };
		const { error } = await runLicense({ operation: 'get', licenseId: 'lic_1', ...more });
		expect(error).toMatchObject({ message });
	});
});

/** What n8n's guidelines and sellers want on top, and what is for programs alone. */
it.each([
	[
		'simplified',
		['businessName', 'legalName', 'address', 'phone', 'licenseType', 'licenseNumber', 'status'],
		['eventId'],
	],
	[
		'crmLead',
		[
			...['company', 'legalName', 'street', 'city', 'state', 'postalCode', 'country', 'county'],
			...['phone', 'website'],
		],
		['leadId', 'eventId', 'venueKey', 'holderKey'],
	],
	['selectedFields', ['businessName', 'licenseType', 'city', 'county'], ['id', 'eventId']],
])('%s begins with what a seller reads, and ends with keys', async (form, first, last) => {
	const fields = Object.keys((await output(license(), { output: form })) ?? {});
	expect(fields.slice(0, first.length)).toEqual(first);
	expect(fields.slice(-last.length)).toEqual(last);
});

describe('Whatever a license says', () => {
	const HOSTILE_IDS = [
		'../../Account/001AAA?_HttpMethod=DELETE&x=',
		...[
			'..',
			'.',
			'lic_1/../search',
			'lic 1',
			'lic_1\r\nX-Evil: 1',
			'-1',
			'=1+1',
			'{{ 7*7 }}',
			'ключ',
		],
		'x'.repeat(65),
		'x'.repeat(300),
	];

	const leadIdOf = async (more: License) =>
		(await output(license(more), { output: 'crmLead' }))?.leadId;

	it.each(HOSTILE_IDS)('has a lead ID that is only a key: %#', async (licenseNumber) => {
		const id = await leadIdOf({ licenseNumber });
		expect(id).toMatch(/^hash_[0-9a-f]{20}$/);
		expect(await leadIdOf({ licenseNumber, eventType: 'renewal', status: 'closed' })).toBe(id);
		expect(await leadIdOf({ licenseNumber, legalName: 'Other Inc' })).not.toBe(id);
		expect(await leadIdOf({ id: licenseNumber, licenseNumber: null })).toBe(id);
	});

	it.each([
		['a number and a holder', {}, 'COP-2026-001234-rusty-anchor-holdings-llc'],
		[
			'the holder in another spelling',
			{ legalName: 'THE RUSTY ANCHOR HOLDINGS, L.L.C.' },
			'COP-2026-001234-rusty-anchor-holdings-llc',
		],
		['a number alone', { legalName: ' ' }, 'COP-2026-001234'],
		['a number that is one', { licenseNumber: 4711 as never, legalName: null }, '4711'],
		['an ID, where there is no number', { licenseNumber: null, legalName: null }, 'lic_8f3k2m'],
		['nothing', { id: null, licenseNumber: ' ', status: 'x' }, null],
	])('has a lead ID from %s', async (_, more, leadId) => {
		expect(crmLead(license(more)).leadId).toBe(leadId);
	});

	it.each(['simplified', 'crmLead', 'selectedFields'])(
		'%s has every text in one line, and Raw has it as it came',
		async (form) => {
			const text = 'Tampa\r\nBcc: x@example.com\u2028\u2029\u0085\u000b\u0000\tend\n';
			const address = { street: text, city: text, county: text, state: text, zip: text };
			const fields = Object.keys(license()).filter((field) => !['id', 'address'].includes(field));
			const record = license({
				...Object.fromEntries(fields.map((field) => [field, text])),
				address,
			});
			const more = { output: form, fields: [...fields, ...Object.keys(address)] };
			const values = Object.values((await output(record, more)) ?? {});
			expect(values).toContain('Tampa Bcc: x@example.com end');
			for (const value of values) expect(String(value)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
			expect(await output(record, { output: 'raw' })).toEqual(record);
		},
	);

	it.each(['simplified', 'crmLead', 'selectedFields', 'raw'])(
		'%s has no finding of the node that the node did not make',
		async (form) => {
			const findings = { matchReason: 'x', matchScore: 2, distanceMiles: '=1' };
			const came = await output(license(findings), {
				output: form,
				fields: ['matchScore', 'city'],
			});
			expect(came?.licenseNumber ?? came?.eventId).toBeTruthy();
			expect(Object.entries(came ?? {}).filter(([, value]) => value !== null)).not.toContainEqual([
				expect.stringMatching(/^(?:match|distance)/),
				expect.anything(),
			]);
		},
	);

	it.each([
		['two\nlines', 'two lines'],
		[{ deep: 'x'.repeat(50_000) }, null],
		[['a'], null],
	])('treats an ID as any other text: %#', async (id, simplified) => {
		const fields = ['licenseType'];
		const came = await output(license({ id: id as string }), { output: 'selectedFields', fields });
		expect(came?.id).toBe(simplified);
	});

	it('has no invisible character that turns or hides what follows', async () => {
		const businessName = '\u2066\u202EJo\u200Be\u2069\u00AD\uFEFF Grill';
		const lead = await output(license({ businessName }), { output: 'crmLead' });
		expect(lead?.company).toBe('Joe Grill');
	});

	it('shortens a text without end, and says that it did', async () => {
		const businessName = 'x'.repeat(90_000);
		const lead = await output(license({ businessName }), { output: 'crmLead' });
		expect(lead?.company).toBe(`${'x'.repeat(254)}…`);
		expect(String(lead?.description).length).toBeLessThan(1500);
		const longest = 'y'.repeat(255);
		const whole = await output(license({ businessName: longest }), { output: 'crmLead' });
		expect(whole?.company).toBe(longest);
	});

	it.each([
		[`${'x'.repeat(253)}🍺🍺`, `${'x'.repeat(253)}…`],
		[`Half \ud83c moon`, 'Half   moon'],
	])('holds no half emoji, on which an address cannot be built: %j', async (businessName, text) => {
		const lead = await output(license({ businessName }), { output: 'crmLead' });
		expect(lead?.company).toBe(text);
	});

	it.each([
		'javascript:alert(1)',
		'https://x.example/"onmouseover="alert(1)',
		'https://x.example/a b',
		'https://x.example/<script>',
		`https://x.example/${'x'.repeat(3000)}`,
		{ url: 'https://x.example/' },
	])('links to nothing but a web address: %#', async (sourceUrl) => {
		const record = license({ sourceUrl: sourceUrl as string });
		expect(await output(record, { output: 'crmLead' })).toMatchObject({ sourceUrl: null });
	});

	it.each([
		['27.95', 27.95],
		[' -82.46 ', -82.46],
		['', null],
		['north', null],
		[{ degrees: 1 }, null],
		[Number.NaN, null],
	])('has coordinates that are numbers: %j becomes %j', async (lat, latitude) => {
		const record = license({ address: { lat: lat as number } });
		expect(await output(record, { output: 'crmLead' })).toMatchObject({ latitude });
	});
});

describe('CRM Lead', () => {
	const lead = (more: License = {}) => output(license(more), { output: 'crmLead' });

	it('is named as CRMs name their columns', async () => {
		expect(await lead()).toEqual({
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
			phone: null,
			website: null,
			latitude: 27.95,
			longitude: -82.46,
			licenseNumber: 'COP-2026-001234',
			licenseType: 'COP',
			licenseTypeName: 'Consumption on Premises (COP)',
			isLiquor: true,
			licenseStatus: 'active',
			event: 'new_filing',
			eventName: 'New Filing',
			filingKind: 'newLicense',
			eventTimestamp: '2026-07-03T14:30:00Z',
			filedDate: '2026-07-03',
			issuedDate: null,
			effectiveDate: '2026-07-10',
			expirationDate: null,
			leadSource: 'Florida License Filings',
			description:
				'The Rusty Anchor in Tampa, Hillsborough County filed for a new Consumption on Premises (COP) license on 2026-07-03.',
			sourceUrl: 'https://records.example.com/COP-2026-001234',
		});
	});

	it('has what the service knows beside the license', async () => {
		const more = { issuedDate: '2026-07-05', expirationDate: '2027-03-31' };
		expect(await lead({ ...more, enrichment: ENRICHMENT })).toMatchObject({
			...more,
			phone: '813-555-0100',
			website: 'https://rusty-anchor.example.com/',
		});
		const enrichment = { phone: 8135550100 as never, website: 'javascript:alert(1)' };
		expect(await lead({ enrichment })).toMatchObject({ phone: '8135550100', website: null });
	});

	it.each([
		'https://good.example@evil.example/',
		'https://good.example:443@evil.example',
		'https://evil.example/\u202Egnp.exe',
	])('has no website that leads elsewhere than it seems to: %j', async (website) => {
		expect(await lead({ enrichment: { website } })).toMatchObject({ website: null });
	});

	it('has a website with an @ in its path', async () => {
		const website = 'https://social.example/@bar';
		expect(await lead({ enrichment: { website } })).toMatchObject({ website });
	});

	it('repairs a name whose accents were broken', async () => {
		expect(await lead({ businessName: 'CafÃ© OlÃ©' })).toMatchObject({ company: 'Café Olé' });
		expect(await lead({ businessName: 'PÃ\u0083Â©rez' })).toMatchObject({ company: 'Pérez' });
		expect(await lead({ businessName: 'Ã la carte' })).toMatchObject({ company: 'Ã la carte' });
	});

	it('has the same columns for a record that has nothing', async () => {
		const empty =
			(await output({ id: 'lic_1', address: { note: 'rear' } }, { output: 'crmLead' })) ?? {};
		expect(Object.keys(empty)).toEqual(Object.keys((await lead()) ?? {}));
		expect(empty).toMatchObject({
			leadId: 'lic_1',
			company: null,
			country: 'US',
			description: 'A business had activity on its license.',
		});
	});

	it.each([
		['the other name in use', { businessName: '' }, 'Rusty Anchor'],
		['the legal name', { businessName: null, dbaName: undefined }, 'Rusty Anchor Holdings LLC'],
	])('names the company by %s where the first is missing', async (_, more, company) => {
		expect(await lead(more)).toMatchObject({ company });
	});

	it.each([
		['renewal', 'renewed its Consumption on Premises (COP) license on 2026-08-09.'],
		[
			'ownership_transfer',
			'got a new holder for its Consumption on Premises (COP) license on 2026-08-09.',
		],
		[
			'status_change',
			'got a new status for its Consumption on Premises (COP) license on 2026-08-09.',
		],
		['cancellation', 'canceled its Consumption on Premises (COP) license on 2026-08-09.'],
		['inspection', 'had activity on its Consumption on Premises (COP) license on 2026-08-09.'],
	])('describes a %s in one sentence, by the day it happened', async (eventType, words) => {
		const described = await lead({ eventType, eventTimestamp: '2026-08-09T10:00:00Z' });
		expect(described?.description).toBe(`The Rusty Anchor in Tampa, Hillsborough County ${words}`);
	});

	it.each([
		[
			{ address: { city: 'Tampa', county: 'Hillsborough County' } },
			' in Tampa, Hillsborough County filed',
		],
		[{ address: { county: 'Lee' } }, ' in Lee County filed'],
		[{ address: null }, 'The Rusty Anchor filed'],
		[
			{ licenseNumber: 'COP-2019-1' },
			' County took over a Consumption on Premises (COP) license on',
		],
		[{ licenseNumber: '10001' }, ' County filed for a Consumption on Premises (COP) license on'],
		[{ licenseType: 'WINE' }, 'a new WINE license'],
		[{ licenseType: null }, 'a new license on'],
		[{ filedDate: null, eventTimestamp: '2026-07-04T01:00:00Z' }, 'license on 2026-07-04.'],
		[{ filedDate: null, eventTimestamp: null }, '(COP) license.'],
		[{ eventType: 'renewal', eventTimestamp: 'around 2026-07-03' }, ' license.'],
	])('describes a record with %o', async (more, words) => {
		expect((await lead(more as License))?.description).toContain(words);
	});
});

describe('What people read is as people write it', () => {
	const read = (more: License) => crmLead(license(more));

	it.each([
		['FT LAUDERDALE', 'Fort Lauderdale'],
		['MD MIAMI', 'Miami'],
		['PT ST LUCIE', 'Port St. Lucie'],
		['No City Code', 'No City Code'],
		['ATLANTIS ON THE MOON', 'ATLANTIS ON THE MOON'],
	])('the city %s is %s', (city, written) => {
		expect(read({ address: { city } })).toMatchObject({ city: written });
	});

	it.each([
		['331304807', '33130-4807'],
		['33130', '33130'],
		['33130-4807', '33130-4807'],
		['3313', '3313'],
	])('the ZIP code %s is %s', (zip, postalCode) => {
		expect(read({ address: { zip } })).toMatchObject({ postalCode });
	});

	it.each([
		['Marino & Lopez Holdings Llc', 'Marino & Lopez Holdings LLC'],
		['Anchor Ii, Inc', 'Anchor II, Inc.'],
		['Anchor Pllc, a Florida Company', 'Anchor PLLC, a Florida Company'],
		['BLUE HERON LLC', 'BLUE HERON LLC'],
		['Ltd Edition Inc.', 'Ltd Edition Inc.'],
		["Vi's Xi Cafe", "Vi's Xi Cafe"],
	])('the name %s is %s', (name, written) => {
		expect(read({ businessName: name, legalName: name })).toMatchObject({
			company: written,
			legalName: written,
		});
	});

	it('but not in Raw, and not in keys', async () => {
		const record = license({
			legalName: 'Anchor Ii Llc',
			address: { ...license().address, city: 'MD MIAMI', zip: '331304807' },
		});
		expect(await output(record, { output: 'raw' })).toEqual(record);
		expect(read({ legalName: record.legalName, address: record.address })).toMatchObject({
			holderKey: 'anchor-ii-llc',
			venueKey: '100-bay-st-33130',
		});
	});
});
