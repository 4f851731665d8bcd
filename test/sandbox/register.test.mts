import { beforeAll, describe, expect, it } from 'vitest';

import { Register, type License, type Listing } from '../../sandbox/index.mts';
import { DAY, dayOf } from '../../sandbox/register/calendar.mts';
import { simulatedClock } from '../../sandbox/clock.mts';
import { seats } from '../../sandbox/register/florida.mts';
import { WHOLE } from '../../sandbox/register/rates.mts';

const share = <Item,>(items: readonly Item[], isOne: (item: Item) => boolean): number =>
	items.filter(isOne).length / items.length;

const daysBetween = (from: string | null, to: string | null): number => dayOf(to!) - dayOf(from!);

const isLiquor = ({ licenseNumber }: License): boolean => licenseNumber.startsWith('BEV');
const isGrocery = ({ licenseNumber }: License): boolean => /^\d/.test(licenseNumber);
const isFood = (license: License): boolean => !isLiquor(license) && !isGrocery(license);
const isNewFiling = ({ eventType }: License): boolean => eventType === 'new_filing';

const datesFall = (licenses: readonly License[]): boolean =>
	licenses.every(
		({ filedDate }, index) => index === 0 || filedDate! <= licenses[index - 1]!.filedDate!,
	);

/** All of Florida, and what ninety days brought. */
describe('Ninety days of a whole register', () => {
	let before: License[];
	let after: License[];
	let listings: readonly Listing[];
	/** The list of new filings, on every third day. */
	const lists: Array<{ day: string; filings: License[] }> = [];
	const listed = (isOne: (license: License) => boolean): Listing[] =>
		listings.filter(({ isNew, license }) => isNew && isOne(license));

	beforeAll(() => {
		const register = new Register({ records: WHOLE, today: '2025-03-03' });
		before = register.all();
		for (let day = 0; day < 90; day += 3) {
			register.advance(3);
			lists.push({ day: register.day, filings: register.all({ event_type: 'new_filing' }) });
		}
		after = register.all();
		listings = register.listings;
	});

	it('lists all new filings first, by the day they were filed, then everything else, likewise', () => {
		for (const list of [before, after]) {
			const end = list.findIndex((license) => !isNewFiling(license));
			expect(list.slice(end).some(isNewFiling)).toBe(false);
			expect(datesFall(list.slice(0, end))).toBe(true);
			expect(datesFall(list.slice(end))).toBe(true);
		}
	});

	it('stamps events with whole days, the day on which the license takes effect', () => {
		for (const { eventTimestamp, effectiveDate } of after)
			expect(eventTimestamp).toBe(`${effectiveDate}T00:00:00Z`);
	});

	it('has liquor take effect on the day of filing for a third, after a week for half, in up to sixty days', () => {
		const days = listed(isLiquor).map(({ license }) =>
			daysBetween(license.filedDate, license.effectiveDate),
		);
		expect(share(days, (lag) => lag === 0)).toBeCloseTo(1 / 3, 1);
		expect(share(days, (lag) => lag > 7)).toBeCloseTo(0.5, 1);
		expect(share(days, (lag) => lag >= 28 && lag <= 42)).toBeCloseTo(0.1, 1);
		expect(Math.max(...days)).toBeLessThanOrEqual(60);
		expect(Math.max(...days)).toBeGreaterThan(40);
	});

	it('lists liquor one to five days after it takes effect, and food in the next weekly file', () => {
		const lags = listed(isLiquor).map(({ day, license }) =>
			daysBetween(license.effectiveDate, day),
		);
		expect(new Set(lags)).toEqual(new Set([1, 2, 3, 4, 5]));
		const food = listed(isFood);
		expect(new Set(food.map(({ day }) => dayOf(day) % 7)).size).toBe(1);
		const waits = food.map(({ day, license }) => daysBetween(license.filedDate, day));
		expect(Math.min(...waits)).toBe(1);
		expect(Math.max(...waits)).toBe(7);
	});

	it('shows new licenses in the middle of the new filings, ten and more pages down', () => {
		const known = new Set(before.map(({ id }) => id));
		const places = lists.flatMap(({ filings }) =>
			filings.flatMap(({ id }, place) => (known.has(id) ? [] : (known.add(id), [place]))),
		);
		expect(share(places, (place) => place >= 500)).toBeGreaterThan(0.5);
	});

	it('turns a liquor filing into a renewal after sixty days, with the dates it had', () => {
		const last = lists.at(-1)!;
		for (const { filedDate } of last.filings.filter(isLiquor))
			expect(daysBetween(filedDate, last.day)).toBeLessThanOrEqual(60);
		const filed = lists[0]!.filings.filter(isLiquor);
		const now = new Map(after.map((license) => [license.id, license]));
		const turned = filed.filter(({ id }) => now.get(id)?.eventType === 'renewal');
		expect(turned.length).toBeGreaterThan(0.9 * filed.length);
		for (const { id, filedDate } of turned) expect(now.get(id)?.filedDate).toBe(filedDate);
	});

	it('keeps food new for the fiscal year of the state, which begins on 1 July', () => {
		const oldest = before.filter(isFood).filter(isNewFiling).at(-1)!;
		expect(oldest.filedDate).toBe('2024-07-01');
		const summer = new Register({ today: '2025-06-30', rates: { foodADay: 5 } });
		const food = () => summer.all({ event_type: 'new_filing' }).filter(isFood);
		const old = food().map(({ id }) => id);
		expect(old.length).toBeGreaterThan(1000);
		summer.advance();
		expect(food().map(({ filedDate }) => filedDate! >= '2025-07-01')).not.toContain(false);
		expect(summer.get(old[0]!)?.eventType).toBe('renewal');
	});

	it('dates the groceries today, every day', () => {
		for (const { day, filings } of lists) {
			const groceries = filings.filter(isGrocery);
			expect(groceries).toHaveLength(700);
			for (const { filedDate, eventTimestamp } of groceries)
				expect([filedDate, eventTimestamp]).toEqual([day, `${day}T00:00:00Z`]);
		}
	});

	it('amends one filing in twenty-five: its event moves, its filing date stays, and it is still new', () => {
		const dates = new Map<string, Set<string>>();
		for (const { filings } of lists)
			for (const { id, eventTimestamp, filedDate } of filings.filter(isLiquor))
				dates.set(
					`${id} ${filedDate}`,
					(dates.get(`${id} ${filedDate}`) ?? new Set()).add(eventTimestamp!),
				);
		const amended = share([...dates.values()], ({ size }) => size > 1);
		expect(amended).toBeGreaterThan(0.02);
		expect(amended).toBeLessThan(0.06);
		expect([...dates.values()].some(({ size }) => size > 2)).toBe(true);
		const ids = [...dates.keys()].map((key) => key.split(' ')[0]);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('corrects some twenty licenses from COP to SRX in one night of seventeen, which is no event', () => {
		const types = new Map(before.map(({ id, licenseType }) => [id, licenseType]));
		const corrected = after.filter(
			({ id, licenseType }) => types.get(id) === 'COP' && licenseType === 'SRX',
		);
		expect(corrected.length / (90 / 17)).toBeGreaterThan(12);
		expect(corrected.length / (90 / 17)).toBeLessThan(28);
		const had = new Map(before.map((license) => [license.id, license]));
		for (const license of corrected.filter(({ eventType }) => eventType === 'renewal'))
			expect(license.businessName).toBe(had.get(license.id)?.businessName);
	});

	it('has some license numbers twice, for an old holder and a new one', () => {
		const holders = new Map<string, License[]>();
		for (const license of after)
			holders.set(license.licenseNumber, [...(holders.get(license.licenseNumber) ?? []), license]);
		const twice = [...holders.values()].filter(({ length }) => length > 1);
		const perRecord = twice.length / after.length;
		expect(perRecord).toBeCloseTo(136 / 52_646, 3);
		expect(twice.length).toBeGreaterThan(100);
		for (const [one, other] of twice) {
			expect(one!.id).not.toBe(other!.id);
			expect([one!.legalName, one!.businessName]).not.toEqual([
				other!.legalName,
				other!.businessName,
			]);
		}
		expect(listed((license) => holders.get(license.licenseNumber)!.length > 1)).not.toEqual([]);
	});

	it('lists old licenses in new hands: with the id and number they had, another holder, another date', () => {
		const had = new Map(before.map((license) => [license.id, license]));
		const highest = new Map(seats.map((seat) => [seat.code, seat.highest]));
		const isOld = ({ licenseNumber }: License) =>
			Number(licenseNumber.slice(5)) <= highest.get(licenseNumber.slice(3, 5))! - 50;
		const filings = listed(isLiquor).map(({ license }) => license);
		const old = filings.filter(isOld);
		expect(share(filings, isOld)).toBeCloseTo(0.28, 1);
		for (const [type, expected] of [
			['COP', 0.23],
			['SRX', 0.37],
			['APS', 0.37],
		] as const) {
			const ofType = filings.filter(({ licenseType }) => licenseType === type);
			expect(Math.abs(share(ofType, isOld) - expected)).toBeLessThan(0.08);
		}
		const known = old.filter(({ id }) => had.has(id));
		expect(known.length / old.length).toBeGreaterThan(0.95);
		const hasSameHolder = ({ id, legalName }: License) => had.get(id)!.legalName === legalName;
		// A name in a hundred is drawn twice, or missing twice.
		expect(share(known, hasSameHolder)).toBeLessThan(0.02);
		for (const { id, licenseNumber, filedDate, address } of known) {
			const before = had.get(id)!;
			expect(licenseNumber).toBe(before.licenseNumber);
			expect(address).toEqual(before.address);
			expect(filedDate! > before.filedDate!).toBe(true);
		}
		// All others have the next number of their county.
		const latest = new Map<string, number>();
		const twice = new Set(before.map(({ licenseNumber }) => licenseNumber));
		for (const { licenseNumber } of filings) {
			const [county, number] = [licenseNumber.slice(3, 5), Number(licenseNumber.slice(5))];
			if (twice.has(licenseNumber)) continue;
			expect(number).toBeGreaterThan(latest.get(county) ?? highest.get(county)!);
			latest.set(county, number);
			twice.add(licenseNumber);
		}
		expect(latest.size).toBeGreaterThan(40);
	});

	it('has escrow licenses without a street, which are active like the others', () => {
		const escrow = after.filter(({ address }) => address?.city === 'No City Code');
		expect(escrow.length).toBeGreaterThan(500);
		for (const { address, businessName } of escrow) {
			expect(address).toMatchObject({ street: null, zip: '99999' });
			expect(businessName).toMatch(/^INACTIVE INACTIVE\//);
		}
		expect(share(escrow, ({ status }) => status === 'active')).toBeGreaterThan(0.8);
	});

	it.each<[string, (license: License) => string | null | undefined, RegExp[]]>([
		[
			'names',
			({ businessName }) => businessName,
			[/^O$/, /^Na$/, / \(The\)$/, /\w\/\w/, / Llc$/, / Ii$/, /Ã/],
		],
		[
			'streets',
			({ address }) => address?.street,
			[
				/ SW \d+ ST( |$)/,
				/^\d+-\d+ /,
				/ #\d+$/,
				/ {2}UNIT \d+$/,
				/ STE \d+-\d+$/,
				/ UNITS \d+ & \d+$/,
				/ A & B$/,
				/ P\d+$/,
				/ CU-\d+$/,
				/ ST \d+$/,
				/^\d+ 1\/2 /,
				/ TR( |$)/,
				/ TRL( |$)/,
				/ US HIGHWAY 19/,
				/ HWY 98-A/,
				/ BIRD RD/,
			],
		],
		[
			'cities',
			({ address }) => address?.city,
			[/^MD MIAMI$/, /^PT ST LUCIE$/i, /^ST PETERSBURG$/i, /^SAINT AUGUSTINE$/i, /^[A-Z ]+$/],
		],
		['ZIP codes', ({ address }) => address?.zip, [/^34620$/, /^33700$/, /^32000$/, /^\d{9}$/]],
		['counties', ({ address }) => address?.county, [/^$/, /^Palm Beach$/]],
	])('writes %s as untidily as a register', (_what, of, forms) => {
		const written = after.map((license) => of(license) ?? 'none');
		for (const form of forms)
			expect([form, written.some((text) => form.test(text))]).toEqual([form, true]);
		for (const form of forms.slice(0, 4))
			expect(share(written, (text) => form.test(text))).toBeLessThan(0.5);
	});
});

const small = {
	records: 600,
	rates: { liquorADay: 6, foodADay: 3, groceries: 20 },
	today: '2025-03-03',
};

describe('A register', () => {
	it('is the same for everybody with the same seed, day by day or all at once', () => {
		const [one, other, third] = [5, 5, 6].map((seed) => new Register({ ...small, seed }));
		for (let day = 0; day < 40; day++) one!.advance();
		other!.advance(40);
		third!.advance(40);
		expect(one!.all()).toEqual(other!.all());
		expect(one!.listings).toEqual(other!.listings);
		expect(third!.all()).not.toEqual(other!.all());
	});

	it('ends today, and has filings of this week and this month from the first minute', () => {
		const register = new Register({ records: WHOLE });
		const today = new Date().toISOString().slice(0, 10);
		expect(register.day).toBe(today);
		const ages = register
			.all({ event_type: 'new_filing' })
			.filter(isLiquor)
			.map(({ filedDate }) => daysBetween(filedDate, today));
		expect(Math.min(...ages)).toBeGreaterThan(0);
		expect(ages.filter((age) => age <= 7).length).toBeGreaterThan(20);
		expect(ages.filter((age) => age <= 31).length).toBeGreaterThan(200);
	});

	it('lists more with each list of today, filed up to sixty days ago, as on any other day', () => {
		const clock = simulatedClock('2026-03-31T12:00:00Z');
		const register = new Register({ records: WHOLE, clock });
		register.advance(30);
		expect([register.day, register.isToday]).toEqual(['2026-03-31', true]);
		const liquor = register.listings
			.filter(({ isNew, license }) => isNew && isLiquor(license))
			.map(({ license }) => license);
		expect(liquor.length).toBeGreaterThan(500);
		const ages = liquor.map(({ filedDate }) => daysBetween(filedDate, register.day));
		expect(Math.min(...ages)).toBe(1);
		expect(Math.max(...ages)).toBeGreaterThan(40);
		expect(Math.max(...ages)).toBeLessThanOrEqual(65);
		expect(share(ages, (age) => age <= 7)).toBeGreaterThan(0.3);
		for (const { effectiveDate } of liquor)
			expect(daysBetween(effectiveDate, register.day)).toBeGreaterThan(0);
		// The list does not grow without end.
		const count = () => register.all({ event_type: 'new_filing' }).filter(isLiquor).length;
		const before = count();
		register.advance(90);
		expect(count() / before).toBeCloseTo(1, 0);
		expect(datesFall(register.all({ event_type: 'new_filing' }))).toBe(true);
	});

	it('brings a list whenever it is due, each with a day of its own until that is today', async () => {
		const clock = simulatedClock('2026-03-05T12:00:00Z');
		const today = '2026-03-03';
		const register = new Register({ ...small, clock, today, listEvery: 60_000 });
		const days: string[] = [];
		register.onRefresh(() => days.push(register.day));
		await clock.advance(59_999);
		expect(register.day).toBe('2026-03-03');
		for (let minute = 1; minute < 5; minute++) {
			await clock.advance(60_000);
			register.catchUp();
		}
		expect(days).toEqual(['2026-03-04', '2026-03-05', '2026-03-05', '2026-03-05']);
		expect(register.history).toEqual([
			['2026-03-04', 1],
			['2026-03-05', 3],
		]);
		await clock.advance(DAY);
		expect(register.day).toBe('2026-03-06');
	});

	it('leaves out a source or a license when asked, for as many lists or for good', () => {
		const register = new Register(small);
		const [license, other] = register.all().filter(isLiquor);
		register.leaveOut('groceries', 1);
		register.leaveOut(license!.id, 2);
		register.leaveOut(other!.id);
		const shown = () => {
			const list = register.all();
			const hasOne = (one?: License) => list.some(({ id }) => id === one?.id);
			return [list.some(isGrocery), hasOne(license), hasOne(other)];
		};
		expect(shown()).toEqual([false, false, false]);
		register.advance();
		expect(shown()).toEqual([true, false, false]);
		register.advance();
		expect(shown()).toEqual([true, true, false]);
	});

	it('lists what a test files at once, and finds it by what it shows', () => {
		const register = new Register(small);
		const filed = register.file({
			businessName: 'Planted Diner',
			licenseType: 'COP',
			address: { county: 'Leon' },
		});
		const query = { county: 'leon', license_type: 'COP', q: 'planted', event_type: 'new_filing' };
		expect(register.all(query)).toEqual([filed]);
		expect(register.get(filed.id)).toEqual(filed);
		const changed = register.change(filed.id, { status: 'suspended' });
		expect(register.all({ status: 'suspended' })).toContainEqual(changed);
		expect(register.listings.map(({ isNew }) => isNew)).toEqual([true, false]);
		register.advance();
		expect(register.all(query)).toHaveLength(1);
	});

	it('puts what a test files or changes where its date and its event belong', () => {
		const register = new Register(small);
		const { id } = register.file({ filedDate: '2024-10-10', licenseType: 'SEATING' });
		const ids = () => register.all().map((license) => license.id);
		const place = ids().indexOf(id);
		const around = register.all().slice(place - 1, place + 2);
		expect(datesFall(around)).toBe(true);
		expect(around.map(isNewFiling)).toContain(true);
		register.change(id, { eventType: 'ownership_transfer' });
		const others = register.all().filter((license) => !isNewFiling(license));
		expect(datesFall(others)).toBe(true);
		expect(others.map((license) => license.id)).toContain(id);
		expect(register.change(id, { status: null, eventType: 7 })).toMatchObject({
			status: null,
			eventType: 7,
		});
	});
});
