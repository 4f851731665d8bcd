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
	let had: Map<unknown, License>;
	let after: License[];
	let listings: readonly Listing[];
	/** The list of new filings, on every third day. */
	const lists: Array<{ day: string; filings: License[] }> = [];
	const listed = (isOne: (license: License) => boolean): Listing[] =>
		listings.filter(({ isNew, license }) => isNew && isOne(license));

	beforeAll(() => {
		const register = new Register({ records: WHOLE, today: '2025-03-03' });
		before = register.all();
		had = new Map(before.map((license) => [license.id, license]));
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

	it('has liquor take effect up to sixty days after filing, which its event says, and lists it days later', () => {
		for (const { eventTimestamp, effectiveDate } of after)
			expect(eventTimestamp).toBe(`${effectiveDate}T00:00:00Z`);
		const liquor = listed(isLiquor);
		const days = liquor.map(({ license }) => daysBetween(license.filedDate, license.effectiveDate));
		expect(share(days, (lag) => lag === 0)).toBeCloseTo(1 / 3, 1);
		expect(share(days, (lag) => lag > 7)).toBeCloseTo(0.5, 1);
		expect(Math.max(...days)).toBeLessThanOrEqual(60);
		expect(Math.max(...days)).toBeGreaterThan(40);
		const lags = liquor.map(({ day, license }) => daysBetween(license.effectiveDate, day));
		expect(new Set(lags)).toEqual(new Set([1, 2, 3, 4, 5]));
	});

	it('lists food in the next weekly file', () => {
		const food = listed(isFood);
		expect(new Set(food.map(({ day }) => dayOf(day) % 7)).size).toBe(1);
		const waits = food.map(({ day, license }) => daysBetween(license.filedDate, day));
		expect([Math.min(...waits), Math.max(...waits)]).toEqual([1, 7]);
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
		const register = new Register({ today: '2025-06-30', rates: { foodADay: 5 } });
		const food = () => register.all({ event_type: 'new_filing' }).filter(isFood);
		const old = food();
		expect(old.at(-1)!.filedDate).toBe('2024-07-01');
		register.advance();
		expect(food().map(({ filedDate }) => filedDate! >= '2025-07-01')).not.toContain(false);
		expect(register.get(old[0]!.id)?.eventType).toBe('renewal');
	});

	it('dates the groceries today, every day', () => {
		for (const { day, filings } of lists) {
			const groceries = filings.filter(isGrocery);
			expect(groceries).toHaveLength(700);
			expect(new Set(groceries.map(({ filedDate }) => filedDate))).toEqual(new Set([day]));
		}
	});

	it('amends one filing in twenty-five: its event moves, its filing date stays, and it is still new', () => {
		const dates = new Map<string, Set<unknown>>();
		for (const { filings } of lists)
			for (const { id, eventTimestamp, filedDate } of filings.filter(isLiquor)) {
				const key = `${id} ${filedDate}`;
				dates.set(key, (dates.get(key) ?? new Set()).add(eventTimestamp));
			}
		expect(Math.abs(share([...dates.values()], ({ size }) => size > 1) - 0.04)).toBeLessThan(0.02);
		const ids = [...dates.keys()].map((key) => key.split(' ')[0]);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('has some license numbers twice, for an old holder and a new one', () => {
		const sorted = after.toSorted((one, other) =>
			one.licenseNumber < other.licenseNumber ? -1 : 1,
		);
		const twice = sorted.filter((one, at) => one.licenseNumber === sorted[at + 1]?.licenseNumber);
		expect(twice.length / after.length).toBeCloseTo(136 / 52_646, 3);
		for (const one of twice) {
			const { id, legalName, businessName } = sorted[sorted.indexOf(one) + 1]!;
			expect(one.id).not.toBe(id);
			expect([one.legalName, one.businessName]).not.toEqual([legalName, businessName]);
		}
	});

	it('lists old licenses in new hands: with the id and number they had, another holder, another date', () => {
		const highest = new Map(seats.map((seat) => [seat.code, seat.highest]));
		const countyOf = ({ licenseNumber }: License) => licenseNumber.slice(3, 5);
		const numberOf = ({ licenseNumber }: License) => Number(licenseNumber.slice(5));
		const isOld = (one: License) => numberOf(one) <= highest.get(countyOf(one))! - 50;
		const filings = listed(isLiquor).map(({ license }) => license);
		expect(share(filings, isOld)).toBeCloseTo(0.28, 1);
		const known = filings.filter((one) => isOld(one) && had.has(one.id));
		expect(known.length).toBeGreaterThan(0.95 * filings.filter(isOld).length);
		// A name in a hundred is drawn twice, or missing twice.
		const hasSameHolder = ({ id, legalName }: License) => had.get(id)!.legalName === legalName;
		expect(share(known, hasSameHolder)).toBeLessThan(0.02);
		for (const { id, licenseNumber, filedDate, address } of known) {
			expect({ licenseNumber, address }).toEqual({
				licenseNumber: had.get(id)!.licenseNumber,
				address: had.get(id)!.address,
			});
			expect(filedDate! > had.get(id)!.filedDate!).toBe(true);
		}
		// All others have the next number of their county.
		const numbers = new Set(before.map(({ licenseNumber }) => licenseNumber));
		for (const one of filings.filter(({ licenseNumber }) => !numbers.has(licenseNumber))) {
			numbers.add(one.licenseNumber);
			expect(numberOf(one)).toBeGreaterThan(highest.get(countyOf(one))!);
			highest.set(countyOf(one), numberOf(one));
		}
	});

	it('has escrow licenses without a street, which are active like the others', () => {
		const escrow = after.filter(({ address }) => address?.city === 'No City Code');
		expect(escrow.length).toBeGreaterThan(500);
		for (const { address } of escrow) expect(address).toMatchObject({ street: null, zip: '99999' });
		expect(share(escrow, ({ status }) => status === 'active')).toBeGreaterThan(0.8);
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

	it('ends today, has filings of this week and this month from the first minute, and lists more like them', () => {
		const clock = simulatedClock('2026-03-01T12:00:00Z');
		const register = new Register({ records: WHOLE, clock });
		const today = '2026-03-01';
		const filings = () => register.all({ event_type: 'new_filing' }).filter(isLiquor);
		const agesOf = (licenses: License[]) =>
			licenses.map(({ filedDate }) => daysBetween(filedDate, today));
		const ages = agesOf(filings());
		expect(Math.min(...ages)).toBeGreaterThan(0);
		expect(ages.filter((age) => age <= 7).length).toBeGreaterThan(20);
		expect(ages.filter((age) => age <= 31).length).toBeGreaterThan(200);
		register.advance(120);
		expect([register.day, register.isToday]).toEqual([today, true]);
		const added = register.listings.filter(({ isNew, license }) => isNew && isLiquor(license));
		const more = agesOf(added.map(({ license }) => license));
		expect(more.length).toBeGreaterThan(2000);
		expect(Math.min(...more)).toBe(1);
		expect(Math.max(...more)).toBeGreaterThan(40);
		expect(Math.max(...more)).toBeLessThanOrEqual(65);
		// The list does not grow without end.
		expect(filings().length / ages.length).toBeCloseTo(1, 0);
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

	it('lists what a test files or changes at once, where its date and its event belong', () => {
		const register = new Register(small);
		const filed = register.file({
			businessName: 'Planted Diner',
			licenseType: 'COP',
			filedDate: '2024-10-10',
			address: { county: 'Leon' },
		});
		const query = { county: 'leon', license_type: 'COP', q: 'planted', event_type: 'new_filing' };
		expect(register.all(query)).toEqual([filed]);
		expect(register.get(filed.id)).toEqual(filed);
		const place = register.all().findIndex(({ id }) => id === filed.id);
		const around = register.all().slice(place - 1, place + 2);
		expect([datesFall(around), around.some(isNewFiling)]).toEqual([true, true]);
		const eventType = 'ownership_transfer';
		const changed = register.change(filed.id, { status: 'suspended', eventType });
		expect(register.all({ status: 'suspended' })).toContainEqual(changed);
		expect(register.listings.map(({ isNew }) => isNew)).toEqual([true, false]);
		const others = register.all().filter((license) => !isNewFiling(license));
		expect([datesFall(others), others.some(({ id }) => id === filed.id)]).toEqual([true, true]);
		register.advance();
		expect(register.all({ ...query, event_type: eventType })).toHaveLength(1);
	});
});
