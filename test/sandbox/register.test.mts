import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { simulatedClock } from '../../sandbox/clock.mts';
import { Register, type License, type Listing } from '../../sandbox/index.mts';
import { dayOf } from '../../sandbox/register/calendar.mts';
import { WHOLE } from '../../sandbox/register/rates.mts';
import { registerKeptIn } from '../../sandbox/register/state.mts';
import { shapesFrom } from '../../sandbox/shapes.mts';

const share = <Item,>(items: readonly Item[], isOne: (item: Item) => boolean): number =>
	items.filter(isOne).length / items.length;

const daysBetween = (from: string | null, to: string | null): number => dayOf(to!) - dayOf(from!);

const isLiquor = ({ licenseNumber }: License): boolean => licenseNumber.startsWith('BEV');
const isGrocery = ({ licenseNumber }: License): boolean => /^\d/.test(licenseNumber);
const isNewFiling = ({ eventType }: License): boolean => eventType === 'new_filing';

const datesFall = (licenses: readonly License[]): boolean =>
	licenses.every(
		({ filedDate }, index) => index === 0 || filedDate! <= licenses[index - 1]!.filedDate!,
	);

describe('Ninety days of a whole register', () => {
	let before: License[];
	let after: License[];
	/** New filings of liquor. */
	let filed: Listing[];
	/** The list of new filings, on every third day. */
	const lists: Array<{ day: string; filings: License[] }> = [];

	beforeAll(() => {
		const register = new Register({ records: WHOLE, today: '2025-03-03' });
		before = register.all();
		for (let day = 0; day < 90; day += 3) {
			register.advance(3);
			lists.push({ day: register.day, filings: register.all({ event_type: 'new_filing' }) });
		}
		after = register.all();
		filed = register.listings.filter(({ isNew, license }) => isNew && isLiquor(license));
	});

	it('list all new filings first, by the day they were filed, then everything else, likewise', () => {
		for (const list of [before, after]) {
			const end = list.findIndex((license) => !isNewFiling(license));
			expect(list.slice(end).some(isNewFiling)).toBe(false);
			expect(datesFall(list.slice(0, end))).toBe(true);
			expect(datesFall(list.slice(end))).toBe(true);
		}
	});

	it('list liquor after it takes effect, weeks after filing, in the middle', () => {
		const waits = filed.map(({ license }) => daysBetween(license.filedDate, license.effectiveDate));
		expect(share(waits, (days) => days > 7)).toBeCloseTo(0.5, 1);
		expect([Math.min(...waits), Math.max(...waits) > 40]).toEqual([0, true]);
		const lags = filed.map(({ day, license }) => daysBetween(license.effectiveDate, day));
		expect(new Set(lags)).toEqual(new Set([1, 2, 3, 4, 5]));
		const known = new Set(before.map(({ id }) => id));
		const places = lists.flatMap(({ filings }) =>
			filings.flatMap(({ id }, place) => (known.has(id) ? [] : (known.add(id), [place]))),
		);
		expect(share(places, (place) => place >= 500)).toBeGreaterThan(0.5);
	});

	it('turn a liquor filing into a renewal after sixty days, with the date it had', () => {
		const { day, filings } = lists.at(-1)!;
		for (const { filedDate } of filings.filter(isLiquor))
			expect(daysBetween(filedDate, day)).toBeLessThanOrEqual(60);
		const once = lists[0]!.filings.filter(isLiquor);
		const now = new Map(after.map((license) => [license.id, license]));
		const turned = once.filter(
			({ id, filedDate }) =>
				now.get(id)?.eventType === 'renewal' && now.get(id)?.filedDate === filedDate,
		);
		expect(turned.length).toBeGreaterThan(0.9 * once.length);
	});

	it('date groceries today, every day, and move one other event in twenty-five', () => {
		const moments = new Map<string, Set<unknown>>();
		for (const { day, filings } of lists) {
			const dates = filings.filter(isGrocery).map(({ filedDate }) => filedDate);
			expect(dates).toEqual(Array<string>(700).fill(day));
			for (const { id, filedDate, eventTimestamp } of filings.filter(isLiquor)) {
				const key = `${id} ${filedDate}`;
				moments.set(key, (moments.get(key) ?? new Set()).add(eventTimestamp));
			}
		}
		const isMoved = ({ size }: Set<unknown>) => size > 1;
		expect(Math.abs(share([...moments.values()], isMoved) - 0.04)).toBeLessThan(0.02);
	});

	it('list old licenses in new hands, with id and number, another holder and another date', () => {
		const had = new Map(before.map((license) => [license.id, license]));
		const filings = filed.map(({ license }) => license);
		const known = filings.filter(({ id }) => had.has(id));
		expect(known.length / filings.length).toBeCloseTo(0.28, 1);
		for (const { id, licenseNumber, filedDate } of known) {
			expect(licenseNumber).toBe(had.get(id)!.licenseNumber);
			expect(filedDate! > had.get(id)!.filedDate!).toBe(true);
		}
		// A name in a hundred is drawn twice, or missing twice.
		const hasSameHolder = ({ id, legalName }: License) => had.get(id)!.legalName === legalName;
		expect(share(known, hasSameHolder)).toBeLessThan(0.02);
	});
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
