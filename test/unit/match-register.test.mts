import { describe, expect, it } from 'vitest';

import { match } from '../../nodes/LicensingData/operations/match.operation.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { Throttle } from '../../nodes/LicensingData/service/throttle.ts';
import { gulfCounty, type Filing } from '../support/gulf-county.mts';

type Run = Parameters<typeof match.run>;

const simple = (text: unknown) => String(text).toLowerCase().replace(/\s+/g, ' ').trim();
const countyOf = (name: unknown) => simple(name).replace(/^(?:saint|st) /, 'st. ');

/** Searches as the real register does: a substring of the name with city and county, or of any field. */
function registerOf(licenses: License[]) {
	let requests = 0;
	const rows = licenses.map((license) => {
		const { businessName, legalName, address } = license;
		const { street, city, county } = address ?? {};
		return {
			license,
			county: countyOf(county),
			listed: [`${businessName} ${city} ${county}`].map(simple),
			searched: [businessName, legalName, city, county, street].map(simple),
		};
	});
	const service = async (...[{ path, query = {} }, read]: Parameters<Run[0]>) => {
		requests++;
		const q = simple(query.q);
		const county = countyOf(query.county ?? '');
		const found = rows.filter(
			(row) =>
				(county === '' || county === row.county) &&
				(path === '/licenses' ? row.listed : row.searched).some((text) => text.includes(q)),
		);
		const data = found.slice(0, Number(query.limit)).map(({ license }) => license);
		return (read as (...given: unknown[]) => never)(
			{ data, pagination: { hasMore: false, cursor: null } },
			() => false,
		);
	};
	return {
		service: Object.assign(service, { throttle: new Throttle() }) as Run[0],
		requestCount: () => requests,
	};
}

const execution = {
	toItem: (license: License) => ({ json: license }),
	hint: () => {},
} as unknown as Run[2];

/** A license of each tenancy is in the register, and another clerk's writing of it is asked for. */
async function measure(nameOf: (license: License) => unknown, isInRegister: boolean) {
	const counts = { asked: 0, found: 0, wrong: 0, requests: 0 };
	for (const seed of [1, 2]) {
		const tenancies = new Map<string, Filing[]>();
		for (const filing of gulfCounty(seed, 400, 0)) {
			const key = [filing.door, filing.business, filing.holder].join();
			tenancies.set(key, [...(tenancies.get(key) ?? []), filing]);
		}
		const all = [...tenancies.values()];
		const asked = all.filter((filings) => filings.length > 1);
		const known = isInRegister ? all : all.filter((filings) => filings.length === 1);
		const doors = new Map(known.map(([first]) => [first!.license.id, first!.door]));
		const { service, requestCount } = registerOf(known.map(([first]) => first!.license));
		for (const { license, door } of asked.map(([, second]) => second!)) {
			const { street, city, zip } = license.address ?? {};
			const given: Record<string, unknown> = { businessName: nameOf(license), street, city, zip };
			const read = (name: string, fallback?: unknown) => given[name] ?? fallback;
			counts.asked++;
			for await (const [best] of match.run(service, match.readParameters(read), execution)) {
				if (best && doors.get(String(best.json.id)) === door) counts.found++;
				else if (best) counts.wrong++;
			}
		}
		counts.requests += requestCount();
	}
	return counts;
}

describe('In a county that an outsider made up, with an address in other spellings', () => {
	it.each<[string, (license: License) => unknown]>([
		['name', ({ businessName }) => businessName],
		['legal name', ({ legalName }) => legalName],
	])('Match finds nearly all businesses by their %s, and no other', async (_, nameOf) => {
		const there = await measure(nameOf, true);
		expect(there.asked).toBeGreaterThan(250);
		expect(there.wrong).toBe(0);
		expect(there.found / there.asked).toBeGreaterThan(0.98);
		expect(there.requests / there.asked).toBeLessThan(2);
		expect(await measure(nameOf, false)).toMatchObject({ asked: there.asked, wrong: 0 });
	});
});
