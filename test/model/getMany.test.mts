import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/api/types.ts';
import { COUNTIES } from '../../nodes/LicensingData/fields/county.ts';
import { EVENT_TYPES } from '../../nodes/LicensingData/fields/eventType.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/fields/licenseType.ts';
import { randomSequence } from '../../sandbox/dataset/random.mts';
import { ListService, readWithGetMany, type Entry } from '../support/list-service.mts';

const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = EVENT_TYPES.map(({ value }) => value);
const FOUR_COUNTIES = COUNTIES.slice(0, 4).map(({ value }) => value);
const START = Date.parse('2026-07-01T00:00:00Z');

/** Runs in every test run; a longer search is a matter of a number: MODEL_RUNS=20000. */
const runs = Number(process.env.MODEL_RUNS ?? 60);
const timeout = 600_000 + runs * 200;
const fixed = process.env.MODEL_RUNS === undefined ? { seed: 7 } : {};

type Dice = () => number;

const pick = <T,>(roll: Dice, values: readonly T[]): T =>
	values[Math.floor(roll() * values.length)] as T;

/** Most records fall to the first value where `skew` is high. */
const pickSkewed = <T,>(roll: Dice, skew: number, values: readonly T[]): T =>
	roll() < skew ? (values[0] as T) : pick(roll, values);

interface World {
	seed: number;
	count: number;
	skew: number;
	/** How many moments the records share. */
	moments: number;
	/** The share of records with an unknown type, without a date, or with other gaps. */
	odd: { type: number; event: number; undated: number; nameless: number };
	cursors: 'key' | 'position';
}

const share = (most: number) =>
	fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.double({ min: 0, max: most, noNaN: true }));

const MANY_TIES = { min: 5, max: 150 };
const FEW_TIES = { min: 20_000, max: 5_000_000 };

const world = (moments: { min: number; max: number }): fc.Arbitrary<World> =>
	fc.record({
		seed: fc.nat(),
		count: fc.integer({ min: 480, max: 1100 }),
		skew: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
		moments: fc.integer(moments),
		odd: fc.record({
			type: share(0.02),
			event: share(0.02),
			undated: share(0.1),
			nameless: share(0.1),
		}),
		cursors: fc.constantFrom('key' as const, 'position' as const),
	});

function entry(roll: Dice, rank: number, world: World): Entry {
	const { skew, moments, odd } = world;
	const number = 1_000_000 - rank;
	const time = roll() < odd.undated ? undefined : START + Math.floor(roll() * moments) * 1000;
	const at = time === undefined ? null : new Date(time).toISOString();
	const licenseType = pickSkewed(roll, skew, TYPES);
	return {
		rank,
		time,
		license: {
			id: roll() < odd.nameless ? null : `lic_${Math.floor(roll() * 2 ** 40).toString(36)}${rank}`,
			licenseNumber: `${licenseType}-2026-${String(number).padStart(7, '0')}`,
			licenseType: roll() < odd.type ? pick(roll, ['WINE_CLUB', null]) : licenseType,
			eventType: roll() < odd.event ? pick(roll, ['merger', null]) : pick(roll, EVENTS),
			eventTimestamp: at,
			filedDate: roll() < odd.undated ? null : (at?.slice(0, 10) ?? null),
			address: roll() < 0.05 ? null : { county: pick(roll, FOUR_COUNTIES) },
		},
	};
}

const entries = (world: World): Entry[] => {
	// Drawn from a seed: a thousand records as arbitraries would shrink for minutes.
	const roll = randomSequence(world.seed);
	return Array.from({ length: world.count }, (_, rank) => entry(roll, rank, world));
};

const byText = (of: (entry: Entry) => string) => (a: Entry, b: Entry) =>
	of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : a.rank - b.rank;
const backwards = (order: (a: Entry, b: Entry) => number) => (a: Entry, b: Entry) => order(b, a);

const byId = byText(({ license }) => String(license.id));
const scrambled = ({ rank }: Entry) => Math.imul(rank + 1, 0x9e3779b1) >>> 0;
const inNoOrder = (a: Entry, b: Entry) => scrambled(a) - scrambled(b);
const tieRules = {
	'by number, the newest first': (a: Entry, b: Entry) => a.rank - b.rank,
	'by number, the oldest first': (a: Entry, b: Entry) => b.rank - a.rank,
	'by id': byId,
	'by id, backwards': backwards(byId),
	'in no order that a client could know': inNoOrder,
};

const asked = fc.record({
	parameters: fc.oneof(
		{ weight: 3, arbitrary: fc.constant({}) },
		fc.record({
			returnAll: fc.constant(false),
			limit: fc.integer({ min: 1, max: 1200 }),
		}),
		fc.record({ filters: fc.record({ licenseType: fc.constantFrom('BEV', 'COP') }) }),
		fc.record({ filters: fc.record({ filedAfter: day() }) }),
		fc.record({ filters: fc.record({ filedBefore: day() }) }),
	),
	readers: fc.integer({ min: 2, max: 10 }),
	/** Each so many requests one is turned away; 0 for none. */
	limitEvery: fc.oneof(fc.constant(0), fc.integer({ min: 3, max: 30 })),
});

function day() {
	return fc.integer({ min: 0, max: 60 }).map((days) => {
		return new Date(START + days * 86_400_000).toISOString().slice(0, 10);
	});
}

const turnedAway = { statusCode: 429, headers: { 'retry-after': '0.001' }, body: {} };

interface Asked {
	parameters: object;
	readers: number;
	limitEvery: number;
}

async function both(
	given: World,
	{ parameters, readers, limitEvery }: Asked,
	ties: (a: Entry, b: Entry) => number,
) {
	const list = entries(given);
	const roll = randomSequence(given.seed + 1);
	const service = () =>
		new ListService([...list], {
			ties,
			cursors: given.cursors,
			turns: () => Math.floor(roll() * 4),
			before: (_, count) => (limitEvery > 0 && count % limitEvery === 0 ? turnedAway : undefined),
		});
	const inSequence = await readWithGetMany(service(), { ...parameters }, 1);
	const divided = service();
	const sideBySide = await readWithGetMany(divided, { ...parameters }, readers);
	return {
		inSequence: inSequence.licenses,
		sideBySide: sideBySide.licenses,
		/** Whether the parts were trusted: equal lists prove nothing where both were read page by page. */
		isTrusted: sideBySide.log.length === 0 && isDivided(divided),
	};
}

/** As text, because comparing thousands of objects would take longer than reading them. */
const lines = (licenses: License[]): string =>
	licenses.map((license) => JSON.stringify(license)).join('\n');

const isDivided = ({ requests }: ListService): boolean =>
	new Set(requests.map(({ query }) => `${query.license_type} ${query.event_type}`)).size > 1;

const event = ({ id, licenseNumber, eventType, eventTimestamp }: License) =>
	[id, licenseNumber, eventType, eventTimestamp].join(' ');

describe('Reading side by side brings the same list as reading page by page', { timeout }, () => {
	it.each(Object.entries(tieRules))(
		'where records share a moment and stand %s',
		async (_, ties) => {
			let trusted = 0;
			await fc.assert(
				fc.asyncProperty(world(MANY_TIES), asked, async (given, what) => {
					const read = await both(given, what, ties);
					expect(lines(read.sideBySide)).toBe(lines(read.inSequence));
					if (read.isTrusted) trusted++;
				}),
				{ numRuns: runs, ...fixed },
			);
			if (ties === inNoOrder) expect(trusted).toBe(0);
			else expect(trusted).toBeGreaterThan(runs / 4);
		},
	);

	it('where few records share a moment', async () => {
		const knowable = Object.values(tieRules).filter((rule) => rule !== inNoOrder);
		const rule = fc.constantFrom(...knowable);
		let trusted = 0;
		await fc.assert(
			fc.asyncProperty(world(FEW_TIES), asked, rule, async (anyWorld, what, ties) => {
				// Records without an ID may make the wrong one of two rules look right, where there are so few.
				const given = { ...anyWorld, odd: { ...anyWorld.odd, nameless: 0 } };
				const read = await both(given, what, ties);
				expect(lines(read.sideBySide)).toBe(lines(read.inSequence));
				if (read.isTrusted) trusted++;
			}),
			{ numRuns: runs, ...fixed },
		);
		expect(trusted).toBeGreaterThan(runs / 10);
	});
});

describe('Reading a list that moves', { timeout }, () => {
	const move = fc.record({
		atRequest: fc.integer({ min: 1, max: 40 }),
		kind: fc.constantFrom('file', 'fileLate', 'update', 'updateLate', 'remove'),
		seed: fc.nat(),
	});
	type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

	function apply(service: ListService, { kind, seed }: Move, given: World, rank: number): void {
		const roll = randomSequence(seed);
		const at = Math.floor(roll() * service.entries.length);
		const fresh = entry(roll, rank, { ...given, odd: { ...given.odd, nameless: 0 } });
		const onTop = START + (given.moments + rank) * 1000;
		const time = kind.endsWith('Late') ? fresh.time : onTop;
		const eventTimestamp = time === undefined ? null : new Date(time).toISOString();
		const [before] = kind.startsWith('file') ? [] : service.entries.splice(at, 1);
		if (kind !== 'remove') {
			const license = {
				...fresh.license,
				...(before && { id: before.license.id }),
				eventTimestamp,
			};
			service.entries.push({ license, rank, time });
		}
		service.sort();
	}

	it('brings every license that stood in it all the time, no event twice, and newest first but for what moved', async () => {
		let trusted = 0;
		await fc.assert(
			fc.asyncProperty(
				world(FEW_TIES),
				fc.integer({ min: 2, max: 10 }),
				fc.array(move, { minLength: 1, maxLength: 4 }),
				async (anyWorld, readers, anyMoves) => {
					// Without ids nobody could tell a repeated record from a second one.
					const given = { ...anyWorld, odd: { ...anyWorld.odd, nameless: 0, undated: 0 } };
					// What leaves its place above a cursor that counts makes reading page by page skip a record too.
					const moves =
						given.cursors === 'key'
							? anyMoves
							: anyMoves.filter(({ kind }) => kind === 'file' || kind === 'update');
					const roll = randomSequence(given.seed + 1);
					const events = () => new Set(service.entries.map(({ license }) => event(license)));
					const ids = () => new Set(service.entries.map(({ license }) => license.id));
					let alwaysShown = new Set<string>();
					let alwaysThere: ReturnType<typeof ids> = new Set();
					const service: ListService = new ListService(entries(given), {
						cursors: given.cursors,
						turns: () => Math.floor(roll() * 4),
						before: (_, count) => {
							for (const [index, one] of moves.entries()) {
								if (one.atRequest !== count) continue;
								apply(service, one, given, 10_000 + count * 10 + index);
								const now = events();
								for (const shown of now) everShown.add(shown);
								alwaysShown = new Set([...alwaysShown].filter((shown) => now.has(shown)));
								const there = ids();
								alwaysThere = new Set([...alwaysThere].filter((id) => there.has(id)));
							}
						},
					});
					alwaysShown = events();
					alwaysThere = ids();
					const everShown = events();
					const atFirst = events();

					const { licenses, log } = await readWithGetMany(service, {}, readers);
					const read = licenses.map(event);
					const once = new Set(read);
					expect(once.size).toBe(read.length);
					expect([...alwaysShown].filter((shown) => !once.has(shown))).toEqual([]);
					expect(read.filter((shown) => !everShown.has(shown))).toEqual([]);
					// What goes down the list while it is read may be met nowhere.
					const brought = new Set(licenses.map(({ id }) => id));
					if (!moves.some(({ kind }) => kind.endsWith('Late'))) {
						expect([...alwaysThere].filter((id) => !brought.has(id))).toEqual([]);
					}
					// What was skipped when another was removed comes at the end, as what moved does.
					const stood = licenses.filter((license) => atFirst.has(event(license)));
					const inOrder = moves.some(({ kind }) => kind === 'remove') ? [] : stood;
					const times = inOrder.map(({ eventTimestamp }) => Date.parse(String(eventTimestamp)));
					expect(times.filter((time, at) => at > 0 && time > (times[at - 1] as number))).toEqual(
						[],
					);
					if (log.length === 0 && isDivided(service)) trusted++;
				},
			),
			{ numRuns: runs * 2, ...fixed },
		);
		expect(trusted).toBeGreaterThan(runs / 10);
	});
});
