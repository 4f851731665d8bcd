import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	ALL_EVENT_TYPES,
	COUNTIES,
	LICENSE_TYPES,
} from '../../nodes/LicensingData/licenses/knownValues.ts';
import { randomSequence } from '../../sandbox/register/random.mts';
import { ListService, readWithGetMany, tieOrders } from '../support/list-service.mts';
import { skipWaits } from '../support/waits.mts';

const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = ALL_EVENT_TYPES.map(({ value }) => value);
const FOUR_COUNTIES = COUNTIES.slice(0, 4).map(({ value }) => value);
const START = Date.parse('2026-07-01T00:00:00Z');

/** Runs in every test run; for a longer search, set a number: MODEL_RUNS=20000. */
const runs = Number(process.env.MODEL_RUNS ?? 6);
const timeout = 600_000 + runs * 200;
const fixed = process.env.MODEL_RUNS === undefined ? { seed: 7 } : {};

beforeEach(() => void skipWaits());
afterEach(() => void vi.restoreAllMocks());

type Dice = () => number;

const pick = <T,>(roll: Dice, values: readonly T[]): T =>
	values[Math.floor(roll() * values.length)] as T;

/** If `skew` is high, most records get the first value. */
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
		count: fc.integer({ min: 10_500, max: 12_000 }),
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

function recordOf(roll: Dice, rank: number, { skew, moments, odd }: World): License {
	const time = roll() < odd.undated ? undefined : START + Math.floor(roll() * moments) * 1000;
	const at = time === undefined ? null : new Date(time).toISOString();
	const licenseType = pickSkewed(roll, skew, TYPES);
	return {
		id: roll() < odd.nameless ? null : `lic_${Math.floor(roll() * 2 ** 40).toString(36)}${rank}`,
		status: 'active',
		licenseNumber: `${licenseType}-2026-${String(1_000_000 - rank).padStart(7, '0')}`,
		licenseType: roll() < odd.type ? pick(roll, ['WINE_CLUB', null]) : licenseType,
		eventType: roll() < odd.event ? pick(roll, ['merger', null]) : pick(roll, EVENTS),
		eventTimestamp: at,
		filedDate: roll() < odd.undated ? null : (at?.slice(0, 10) ?? null),
		address: roll() < 0.05 ? null : { county: pick(roll, FOUR_COUNTIES) },
	};
}

const recordsOf = (world: World): License[] => {
	// Drawn from a seed: a thousand records as arbitraries would shrink for minutes.
	const roll = randomSequence(world.seed);
	return Array.from({ length: world.count }, (_, rank) => recordOf(roll, rank, world));
};

type Ties = keyof typeof tieOrders;
const TIES = Object.keys(tieOrders) as Ties[];

const asked = fc.record({
	parameters: fc.oneof(
		{ weight: 3, arbitrary: fc.constant({}) },
		fc.record({
			returnAll: fc.constant(false),
			limit: fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 10_000, max: 12_000 })),
		}),
		fc.record({ filters: fc.record({ licenseTypes: several(TYPES) }) }),
		fc.record({
			filters: fc.record({ licenseTypes: several(TYPES), eventTypes: several(EVENTS) }),
		}),
		fc.record({
			returnAll: fc.constant(false),
			limit: fc.integer({ min: 1, max: 700 }),
			filters: fc.record({ eventTypes: several(EVENTS), filedBefore: day() }),
		}),
		fc.record({ filters: fc.record({ filedAfter: day() }) }),
		fc.record({ filters: fc.record({ happenedAfter: day(), counties: several(FOUR_COUNTIES) }) }),
	),
	readers: fc.option(fc.integer({ min: 2, max: 10 }), { nil: undefined }),
	/** One in this many requests is turned away; 0 for none. */
	limitEvery: fc.oneof(fc.constant(0), fc.integer({ min: 3, max: 30 })),
});

function several(values: string[]) {
	return fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
}

function day() {
	return fc.integer({ min: 0, max: 60 }).map((days) => {
		return new Date(START + days * 86_400_000).toISOString().slice(0, 10);
	});
}

const turnedAway = { statusCode: 429, headers: { 'retry-after': '0.001' }, body: {} };

interface Asked {
	parameters: { limit?: number; filters?: Record<string, string | string[]> };
	readers: number | undefined;
	limitEvery: number;
}

/** What a person would pick from the list by hand. */
function isWanted({ filters = {} }: Asked['parameters'], license: License): boolean {
	const { licenseTypes, eventTypes, counties, filedAfter, filedBefore, happenedAfter } = filters;
	const day = String(license.eventTimestamp).slice(0, 10);
	return (
		(licenseTypes?.includes(String(license.licenseType)) ?? true) &&
		(eventTypes?.includes(String(license.eventType)) ?? true) &&
		(counties?.includes(String(license.address?.county)) ?? true) &&
		(filedAfter === undefined ||
			(license.filedDate != null && license.filedDate >= String(filedAfter))) &&
		(filedBefore === undefined ||
			(license.filedDate != null && license.filedDate <= String(filedBefore))) &&
		(happenedAfter === undefined ||
			(license.eventTimestamp != null && day >= String(happenedAfter)))
	);
}

const timesOf = (licenses: License[]): number[] =>
	licenses.map(({ eventTimestamp }) => (eventTimestamp ? Date.parse(eventTimestamp) : -1));

/** As texts, because comparing thousands of objects would take longer than reading them. */
const asTexts = (licenses: License[]): string[] =>
	licenses.map((license) => JSON.stringify(license)).sort();

const isDivided = ({ requests }: ListService): boolean =>
	new Set(requests.map(({ query }) => `${query.license_type} ${query.event_type}`)).size > 1;

/** What is said of the list itself, and not of how long it took to read. */
const complaints = (hints: string[]): string[] =>
	hints.filter((hint) => !/rate limit|^This took|one page after another/.test(hint));

const event = ({ id, licenseNumber, eventType, eventTimestamp }: License) =>
	[id, licenseNumber, eventType, eventTimestamp].join(' ');

describe('Reading by parts brings what is wanted, each once and newest first', { timeout }, () => {
	it.each([MANY_TIES, FEW_TIES])('where records share moments: %o', async (ties) => {
		await expectAll(fc.constantFrom(...TIES), world(ties));
	});

	async function expectAll(rules: fc.Arbitrary<Ties>, worlds: fc.Arbitrary<World>) {
		let trusted = 0;
		await fc.assert(
			fc.asyncProperty(worlds, asked, rules, async (given, what, ties) => {
				const { parameters, readers, limitEvery } = what;
				const roll = randomSequence(given.seed + 1);
				const service = new ListService(recordsOf(given), {
					sortedBy: 'eventTimestamp',
					ties,
					cursors: given.cursors,
					turns: () => Math.floor(roll() * 4),
					before: (_, count) =>
						limitEvery > 0 && count % limitEvery === 0 ? turnedAway : undefined,
				});
				const all = service.records.filter((license) => isWanted(parameters, license));
				const { licenses, log, hints } = await readWithGetMany(service, { ...parameters }, readers);
				// Which ones of the last moment fit within a limit is open.
				const { limit = all.length } = parameters as Asked['parameters'];
				expect(timesOf(licenses)).toEqual(timesOf(all).slice(0, limit));
				const [read, wanted] = [asTexts(licenses), asTexts(all)];
				expect(new Set(read).size).toBe(read.length);
				if (limit >= all.length) expect(read).toEqual(wanted);
				else expect(read.filter((one) => !wanted.includes(one))).toEqual([]);
				expect(complaints(hints)).toEqual([]);
				if (log.length === 0 && isDivided(service)) trusted++;
			}),
			{ numRuns: runs, ...fixed },
		);
		expect(trusted).toBeGreaterThan(0);
	}
});

describe('Reading a list that moves', { timeout }, () => {
	const move = fc.record({
		atRequest: fc.integer({ min: 1, max: 250 }),
		kind: fc.constantFrom('file', 'fileLate', 'update', 'updateLate', 'remove'),
		seed: fc.nat(),
	});
	type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

	function apply(service: ListService, { kind, seed }: Move, given: World, rank: number): void {
		const roll = randomSequence(seed);
		const fresh = recordOf(roll, rank, { ...given, odd: { ...given.odd, nameless: 0 } });
		const onTop = new Date(START + (given.moments + rank) * 1000).toISOString();
		const eventTimestamp = kind.endsWith('Late') ? fresh.eventTimestamp : onTop;
		const before = kind.startsWith('file') ? undefined : pick(roll, service.records);
		if (before) service.remove(before);
		if (kind !== 'remove') {
			service.insert({ ...fresh, ...(before && { id: before.id }), eventTimestamp });
		}
	}

	it('brings every license that stood in it unchanged, none twice, or says that the list changed', async () => {
		let trusted = 0;
		await fc.assert(
			fc.asyncProperty(
				world(FEW_TIES),
				fc.integer({ min: 2, max: 10 }),
				fc.array(move, { minLength: 1, maxLength: 4 }),
				async (anyWorld, readers, anyMoves) => {
					// Without ids, a repeated record could not be told from a second one.
					const given = { ...anyWorld, odd: { ...anyWorld.odd, nameless: 0, undated: 0 } };
					// Where a cursor counts records, one that leaves and one that comes late make up for each other.
					const moves =
						given.cursors === 'key'
							? anyMoves
							: anyMoves.filter(({ kind }) => kind === 'file' || kind === 'update');
					const roll = randomSequence(given.seed + 1);
					const events = () => new Set(service.records.map(event));
					let alwaysShown = new Set<string>();
					const service: ListService = new ListService(recordsOf(given), {
						sortedBy: 'eventTimestamp',
						cursors: given.cursors,
						turns: () => Math.floor(roll() * 4),
						before: (_, count) => {
							for (const [index, one] of moves.entries()) {
								if (one.atRequest !== count) continue;
								apply(service, one, given, 10_000 + count * 10 + index);
								const now = events();
								for (const shown of now) everShown.add(shown);
								alwaysShown = new Set([...alwaysShown].filter((shown) => now.has(shown)));
							}
						},
					});
					alwaysShown = events();
					const everShown = events();

					const { licenses, log, hints } = await readWithGetMany(service, {}, readers);
					const read = licenses.map(event);
					const once = new Set(read);
					expect(once.size).toBe(read.length);
					// What a cursor that counts has skipped, the totals tell.
					const missed = [...alwaysShown].filter((shown) => !once.has(shown));
					if (complaints(hints).length === 0) expect(missed).toEqual([]);
					expect(read.filter((shown) => !everShown.has(shown))).toEqual([]);
					if (log.length === 0 && isDivided(service)) trusted++;
				},
			),
			{ numRuns: runs * 2, ...fixed },
		);
		expect(trusted).toBeGreaterThan(0);
	});
});
