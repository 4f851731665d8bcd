import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { simulatedClock } from '../../sandbox/clock.mts';
import { Register, type License } from '../../sandbox/index.mts';
import { WHOLE } from '../../sandbox/register/behavior.mts';
import { dayOf } from '../../sandbox/register/calendar.mts';
import { registerKeptIn } from '../../sandbox/register/state.mts';
import { shapesFrom } from '../../sandbox/shapes.mts';

const share = <Item,>(items: readonly Item[], isOne: (item: Item) => boolean): number =>
	items.filter(isOne).length / items.length;

const daysBetween = (from: string | null, to: string | null): number => dayOf(to!) - dayOf(from!);

const isLiquor = ({ licenseNumber }: License): boolean => licenseNumber.startsWith('BEV');
const isGrocery = ({ licenseNumber }: License): boolean => /^\d/.test(licenseNumber);
const isNewFiling = ({ eventType }: License): boolean => eventType === 'new_filing';

const register = new Register({ records: WHOLE, today: '2025-03-03' });
const before = register.all();
/** The list of new filings, on every third day of ninety. */
const lists = Array.from({ length: 30 }, () => {
	register.advance(3);
	return { day: register.day, filings: register.all({ event_type: 'new_filing' }) };
});
const after = register.all();
/** New filings of liquor. */
const filed = register.listings.filter(({ isNew, license }) => isNew && isLiquor(license));

it('All new filings come first, by the day of filing, then everything else, likewise', () => {
	for (const list of [before, after]) {
		const end = list.findIndex((license) => !isNewFiling(license));
		expect(list.slice(end).some(isNewFiling)).toBe(false);
		for (const part of [list.slice(0, end), list.slice(end)])
			expect(part).toEqual(part.toSorted((a, b) => daysBetween(a.filedDate, b.filedDate)));
	}
});

it('Liquor is listed days after it takes effect, in the middle of the new filings', () => {
	const lags = filed.map(({ day, license }) => daysBetween(license.effectiveDate, day));
	expect(new Set(lags)).toEqual(new Set([1, 2, 3, 4, 5]));
	const waits = filed.map(({ license }) => daysBetween(license.filedDate, license.effectiveDate));
	expect(share(waits, (days) => days > 7)).toBeCloseTo(0.5, 1);
	const known = new Set(before.map(({ id }) => id));
	const places = lists.flatMap(({ filings }) =>
		filings.flatMap(({ id }, place) => (known.has(id) ? [] : (known.add(id), [place]))),
	);
	expect(share(places, (place) => place >= 500)).toBeGreaterThan(0.5);
});

it('A liquor filing becomes a renewal after sixty days, with the date it had', () => {
	const { day, filings } = lists.at(-1)!;
	for (const { filedDate } of filings.filter(isLiquor))
		expect(daysBetween(filedDate, day)).toBeLessThanOrEqual(60);
	const now = new Map(after.map(({ id, eventType, filedDate }) => [id, eventType + filedDate!]));
	const once = lists[0]!.filings.filter(isLiquor);
	const hasTurned = ({ id, filedDate }: License) => now.get(id) === `renewal${filedDate}`;
	expect(share(once, hasTurned)).toBeGreaterThan(0.9);
});

it('Groceries have today’s date, every day, and one other event in twenty-five moves', () => {
	const moments = new Map<string, Set<unknown>>();
	for (const { day, filings } of lists) {
		const dates = filings.filter(isGrocery).map(({ filedDate }) => filedDate);
		expect(dates).toEqual(Array<string>(700).fill(day));
		for (const { id, filedDate, eventTimestamp } of filings.filter(isLiquor)) {
			const key = `${id} ${filedDate}`;
			moments.set(key, (moments.get(key) ?? new Set()).add(eventTimestamp));
		}
	}
	const moved = share([...moments.values()], ({ size }) => size > 1);
	expect(Math.abs(moved - 0.04)).toBeLessThan(0.02);
});

it('Old licenses in new hands keep id and number, with another holder and another date', () => {
	const had = new Map(before.map((license) => [license.id, license]));
	const known = filed.map(({ license }) => license).filter(({ id }) => had.has(id));
	expect(known.length / filed.length).toBeCloseTo(0.28, 1);
	for (const { id, licenseNumber, filedDate } of known) {
		expect(licenseNumber).toBe(had.get(id)!.licenseNumber);
		expect(filedDate! > had.get(id)!.filedDate!).toBe(true);
	}
	// A name in a hundred is drawn twice, or missing twice.
	const hasSameHolder = ({ id, legalName }: License) => had.get(id)!.legalName === legalName;
	expect(share(known, hasSameHolder)).toBeLessThan(0.02);
});

const small = {
	records: 600,
	rates: { liquorADay: 6, foodADay: 3, groceries: 20 },
	today: '2025-03-03',
};

it('A register is the same with the same seed, day by day or at once', () => {
	const [one, other, third] = [5, 5, 6].map((seed) => new Register({ ...small, seed }));
	for (let day = 0; day < 40; day++) one!.advance();
	other!.advance(40);
	third!.advance(40);
	expect(one!.all()).toEqual(other!.all());
	expect(third!.all()).not.toEqual(other!.all());
});

it('A register that is kept is the same after a restart, with what was planted', async () => {
	const file = join(await mkdtemp(join(tmpdir(), 'register-')), 'register.json');
	const clock = simulatedClock('2025-03-05T12:00:00Z');
	const start = () =>
		registerKeptIn(file, { records: 500, today: '2025-03-03', clock }, shapesFrom());
	const register = start();
	register.advance();
	const [planted, gone] = register.fileMany(2, { licenseType: 'COP', legalName: 'Old Salt LLC' });
	register.advance(2);
	register.change(planted!.id, { legalName: 'Bright Water Inc.', eventType: 'ownership_transfer' });
	register.leaveOut(gone!.id);
	for (const lists of [0, 3]) {
		register.advance(lists);
		expect(start().all()).toEqual(register.all());
	}
});
