import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { latest } from '../../nodes/LicensingData/feed/latest.ts';
import { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import { FeedService, HOUR, type ServiceOptions } from '../model/feed-service.mts';
import { NOON, Watcher } from '../model/feed-watcher.mts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const serviceWith = (options: Partial<ServiceOptions> = {}) =>
	new FeedService({
		pageSize: 50,
		cursors: 'key',
		totals: true,
		ties: 'newFirst',
		undated: 'filed',
		filtersEvents: false,
		...options,
	});

const dated = (time: number) => ({
	eventTimestamp: new Date(time).toISOString(),
	filedDate: null,
	county: 'Lee',
});

const undated = { eventTimestamp: null, filedDate: null, county: 'Lee' };

/** One every second until so long before noon. */
function fill(service: FeedService, count: number, until = HOUR): string[] {
	return Array.from({ length: count }, (_, index) => {
		const { id } = service.insert(dated(NOON - until - (count - index) * SECOND));
		return id;
	});
}

const watcherOf = (service: FeedService) => new Watcher((cursor) => service.page(cursor));

const both = ['key', 'offset'] as const;

describe('The feed', () => {
	it('emits nothing of what is there at the first poll', async () => {
		const service = serviceWith();
		fill(service, 120);
		expect(await watcherOf(service).poll()).toEqual([]);
	});

	it('emits what is new exactly once, oldest first', async () => {
		const service = serviceWith();
		fill(service, 120);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 3, MINUTE);
		expect(await watcher.poll()).toEqual(ids);
		expect(await watcher.poll()).toEqual([]);
	});

	it('emits what was there since the time asked for, however long it takes', async () => {
		const service = serviceWith();
		fill(service, 5, 100 * HOUR);
		const ids = fill(service, 120, 48 * HOUR);
		const watcher = watcherOf(service);
		const startFrom = NOON - 49 * HOUR;
		const { ids: drained } = await watcher.drain({ startFrom, pages: 1 });
		expect(drained.toSorted()).toEqual(ids.toSorted());
	});

	it('emits every event of a moment of which it has emitted one', async () => {
		const service = serviceWith();
		fill(service, 120);
		const moment = dated(NOON - MINUTE);
		const watcher = watcherOf(service);
		await watcher.poll();
		const first = service.insert(moment);
		expect(await watcher.poll()).toEqual([first.id]);
		const second = service.insert(moment);
		expect(await watcher.poll()).toEqual([second.id]);
	});

	it('reads on through the ties of what it found, over pages and without totals', async () => {
		const service = serviceWith({ pageSize: 3, ties: 'mixed', totals: false });
		const moment = dated(NOON - MINUTE);
		for (let count = 0; count < 30; count++) service.insert(moment);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = Array.from({ length: 4 }, () => service.insert(moment).id);
		const emitted = await watcher.poll();
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it('finds an event that arrives late with the next poll, as the total tells of it', async () => {
		const service = serviceWith();
		fill(service, 500);
		const watcher = watcherOf(service);
		await watcher.poll();
		const late = service.insert(dated(NOON - HOUR - 400 * SECOND - 1));
		expect(await watcher.poll()).toEqual([late.id]);
	});

	it('finds an event that arrives late within ten polls, where no total is given', async () => {
		const service = serviceWith({ totals: false });
		fill(service, 500);
		const watcher = watcherOf(service);
		await watcher.poll();
		const late = service.insert(dated(NOON - 23 * HOUR));
		const emitted: string[] = [];
		for (let polls = 0; polls < 10; polls++) emitted.push(...(await watcher.poll()));
		expect(emitted).toEqual([late.id]);
	});

	it('counts polls, not scans, until it reads all of the window again', async () => {
		const service = serviceWith({ totals: false });
		fill(service, 500);
		const watcher = watcherOf(service);
		await watcher.poll();
		const late = service.insert(dated(NOON - 23 * HOUR));
		const emitted: string[] = [];
		for (let polls = 0; polls < 10; polls++) {
			// Each of these scans takes two polls.
			if (polls % 2 === 0) fill(service, 60, MINUTE - polls * 5 * SECOND);
			emitted.push(...(await watcher.poll(polls === 9 ? {} : { pages: 1 })));
		}
		emitted.push(...(await watcher.poll()));
		expect(emitted).toContain(late.id);
	});

	it.each(both)(
		'brings 2,500 new events with at most 52 requests (%s cursors)',
		async (cursors) => {
			const service = serviceWith({ cursors });
			fill(service, 1000, 2 * HOUR);
			const watcher = watcherOf(service);
			await watcher.poll();
			const ids = fill(service, 2500, MINUTE);
			const { ids: drained, requests } = await watcher.drain({ pages: 7 });
			expect(drained.toSorted()).toEqual(ids.toSorted());
			expect(requests).toBeLessThanOrEqual(52);
		},
	);

	it('stops at so many events as a poll may bring, and brings the rest later', async () => {
		const service = serviceWith();
		fill(service, 100, 2 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 130, MINUTE);
		const polls = [];
		for (let left = 5; left > 0; left--) polls.push(await watcher.poll({ maxItems: 30 }));
		expect(polls.map(({ length }) => length)).toEqual([30, 30, 30, 30, 10]);
		expect(polls.flat().toSorted()).toEqual(ids.toSorted());
	});

	it.each(both)('bears events that arrive between its pages (%s cursors)', async (cursors) => {
		const service = serviceWith({ cursors });
		fill(service, 100, 2 * HOUR);
		const arrived: string[] = [];
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 170, 10 * MINUTE);
		const readPage = async (cursor: string | null) => {
			if (cursor !== null) arrived.push(...fill(service, 5, MINUTE));
			return service.page(cursor);
		};
		const emitted = [...(await watcher.poll({ readPage })), ...(await watcher.poll())];
		expect(emitted.toSorted()).toEqual([...ids, ...arrived].toSorted());
	});

	it('starts from the top when the service has dropped its cursor, without repeats', async () => {
		const service = serviceWith({ cursors: 'offset' });
		fill(service, 100, 2 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 170, 10 * MINUTE);
		const first = await watcher.poll({ pages: 2 });
		service.expireCursors();
		const rest = await watcher.poll();
		expect(first).toHaveLength(100);
		expect([...first, ...rest].toSorted()).toEqual(ids.toSorted());
	});

	it('fails and keeps its state when nothing could be read', async () => {
		const service = serviceWith();
		fill(service, 10);
		const watcher = watcherOf(service);
		await watcher.poll();
		const before = watcher.saved;
		const poll = watcher.poll({ readPage: async () => ({ failure: 'no answer' }) });
		await expect(poll).rejects.toBe('no answer');
		expect(watcher.saved).toBe(before);
	});

	it('emits what it read before a failure, and reads the rest next time', async () => {
		const service = serviceWith();
		fill(service, 100, 2 * HOUR);
		let requests = 0;
		const watcher = new Watcher((cursor) =>
			++requests === 5 ? { failure: 'no answer' } : service.page(cursor),
		);
		await watcher.poll();
		const ids = fill(service, 170, 10 * MINUTE);
		const first = await watcher.poll();
		expect(first).toHaveLength(100);
		expect([...first, ...(await watcher.poll())].toSorted()).toEqual(ids.toSorted());
	});

	it('is quiet again after the filters changed, whatever it was about to read', async () => {
		const service = serviceWith();
		fill(service, 100, 2 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		fill(service, 170, 10 * MINUTE);
		await watcher.poll({ pages: 1 });
		expect(await watcher.poll({ filters: 'others' })).toEqual([]);
		const [id] = fill(service, 1, MINUTE);
		expect(await watcher.poll({ filters: 'others' })).toEqual([id]);
	});

	it('looks no further back than the window after the filters changed, whatever it started from', async () => {
		const service = serviceWith();
		fill(service, 2000, 100 * HOUR);
		fill(service, 60);
		const watcher = watcherOf(service);
		const startFrom = NOON - 1000 * HOUR;
		await watcher.drain({ startFrom, lookback: HOUR });
		expect(await watcher.poll({ startFrom, lookback: HOUR, filters: 'others' })).toEqual([]);
		expect(watcher.requests).toBe(2);
		expect(watcher.state.open).toBeNull();
	});

	it.each([1_000, 1_000_000])('asks once when none of %d records is new', async (records) => {
		const watcher = new Watcher((cursor) => {
			const start = Number(cursor ?? 0);
			const rows = Array.from({ length: 50 }, (_, row) => ({
				id: `lic_${start + row}`,
				eventType: 'renewal',
				eventTimestamp: new Date(NOON - (start + row) * MINUTE).toISOString(),
			}));
			return {
				records: rows,
				cursor: start + 50 < records ? `${start + 50}` : null,
				total: records,
			};
		});
		await watcher.poll();
		await watcher.poll();
		expect(watcher.requests).toBe(1);
	});
});

describe('The memory of the feed', () => {
	it('stays under 64 KB while 20,000 events are brought, and each comes once', async () => {
		const service = serviceWith();
		fill(service, 1000, 10 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 20_000, MINUTE);
		const emitted: string[] = [];
		for (let polls = 0; polls < 22; polls++) {
			emitted.push(...(await watcher.poll()));
			expect(Buffer.byteLength(watcher.saved ?? '')).toBeLessThan(64 * 1024);
		}
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it('says so when a first look cannot remember its whole window', async () => {
		const service = serviceWith();
		fill(service, 5000);
		const watcher = watcherOf(service);
		await watcher.poll();
		expect(watcher.shrunkTo).toBeGreaterThan(NOON - 24 * HOUR);
		const [id] = fill(service, 1, MINUTE);
		expect(await watcher.poll()).toEqual([id]);
	});

	it('brings more events of one moment than it holds', async () => {
		const service = serviceWith();
		fill(service, 1000, 10 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const moment = dated(NOON - MINUTE);
		const ids = Array.from({ length: 6000 }, () => service.insert(moment).id);
		const { ids: drained } = await watcher.drain();
		expect(drained.toSorted()).toEqual(ids.toSorted());
	});

	it('brings them too where there was room for one of the first page only', async () => {
		const service = serviceWith();
		fill(service, 10);
		const watcher = watcherOf(service);
		await watcher.poll();
		const moment = dated(NOON - MINUTE);
		for (let count = 0; count < 4000; count++) service.insert(moment);
		const [first] = await watcher.poll({ maxItems: 1 });
		const { ids } = await watcher.drain({ pages: 78, maxItems: 10_000 });
		expect(new Set([first, ...ids]).size).toBe(4000);
		expect(ids).toHaveLength(3999);
	});

	it('repeats nothing of such a moment when its cursor is dropped, and says what it may miss', async () => {
		const service = serviceWith();
		fill(service, 1000, 10 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const moment = dated(NOON - MINUTE);
		for (let count = 0; count < 6000; count++) service.insert(moment);
		const emitted: string[] = [];
		for (let polls = 0; polls < 4; polls++) emitted.push(...(await watcher.poll()));
		service.expireCursors();
		emitted.push(...(await watcher.drain()).ids);
		expect(new Set(emitted).size).toBe(emitted.length);
		expect(watcher.shrunkTo).toBe(NOON - MINUTE);
	});

	it.each([
		['positions as cursors', { cursors: 'offset' as const }, 1000, false],
		['keys that are dropped', { cursors: 'key' as const }, 1000, true],
		['keys, few at first', { cursors: 'key' as const }, 10, false],
	])(
		'brings all that came on top of a backlog, more than it holds (%s)',
		async (_, options, maxItems, expires) => {
			const service = serviceWith(options);
			fill(service, 100, 20 * HOUR);
			const watcher = watcherOf(service);
			await watcher.poll();
			const backlog = fill(service, 1100, 10 * HOUR);
			const emitted = await watcher.poll({ maxItems });
			const onTop = fill(service, 8000, HOUR);
			if (expires) service.expireCursors();
			for (let quiet = 0; quiet < 12; ) {
				const ids = await watcher.poll();
				quiet = ids.length === 0 ? quiet + 1 : 0;
				emitted.push(...ids);
			}
			expect(emitted.toSorted()).toEqual([...backlog, ...onTop].toSorted());
		},
	);

	it.each(['newFirst', 'newLast'] as const)(
		'rather shrinks its window than lose events of one moment whose cursor is dropped (%s)',
		async (ties) => {
			const service = serviceWith({ ties });
			fill(service, 2800, 10 * HOUR);
			const watcher = watcherOf(service);
			await watcher.poll();
			const moment = dated(NOON - MINUTE);
			const ids = Array.from({ length: 2500 }, () => service.insert(moment).id);
			const emitted = await watcher.poll({ maxItems: 1000 });
			service.expireCursors();
			emitted.push(...(await watcher.drain()).ids);
			expect(emitted.toSorted()).toEqual(ids.toSorted());
		},
	);

	it('has room for what is dated, however much is not', async () => {
		const service = serviceWith({ undated: 'first' });
		fill(service, 100);
		for (let count = 0; count < 4000; count++) service.insert(undated);
		const watcher = watcherOf(service);
		await watcher.poll();
		const [id] = fill(service, 1, MINUTE);
		expect(await watcher.poll()).toEqual([id]);
		for (let polls = 0; polls < 10; polls++) expect(await watcher.poll()).toEqual([]);
	});

	it('does not keep cursors that would not fit', async () => {
		const service = serviceWith();
		fill(service, 5000);
		// What JSON writes with six characters.
		const ends = '\u0001'.repeat(3900);
		const watcher = new Watcher((cursor) => {
			const page = service.page(cursor && cursor.slice(0, -ends.length));
			return 'records' in page && page.cursor ? { ...page, cursor: page.cursor + ends } : page;
		});
		await watcher.poll();
		const ids = fill(service, 100, MINUTE);
		const first = await watcher.poll({ pages: 1 });
		expect(Buffer.byteLength(watcher.saved ?? '')).toBeLessThan(64 * 1024);
		expect([...first, ...(await watcher.poll())].toSorted()).toEqual(ids.toSorted());
	});
});

describe('A first look that had to be left off', () => {
	it('does not take for history what has come since, even when it starts from the top again', async () => {
		const service = serviceWith();
		fill(service, 200);
		const watcher = watcherOf(service);
		await watcher.poll({ pages: 1 });
		const [id] = fill(service, 1, MINUTE);
		service.expireCursors();
		expect(await watcher.poll()).toEqual([id]);
	});
});

describe('A service with oddities', () => {
	it('may be empty when the trigger is activated', async () => {
		const service = serviceWith();
		const watcher = watcherOf(service);
		expect(await watcher.poll()).toEqual([]);
		const ids = fill(service, 3, MINUTE);
		expect(await watcher.poll()).toEqual(ids);
	});

	it.each([[[1e15, -5, 3, 1e15]], [[-1, -1, -1, -1]], [[7, 1e9, 7, 1e9]]])(
		'may give totals such as %j',
		async (totals) => {
			const service = serviceWith();
			fill(service, 300);
			let requests = 0;
			const watcher = new Watcher((cursor) => {
				const page = service.page(cursor);
				return 'records' in page ? { ...page, total: totals[requests++ % totals.length] } : page;
			});
			await watcher.poll();
			const ids = fill(service, 60, MINUTE);
			const emitted: string[] = [];
			for (let polls = 0; polls < 12; polls++) emitted.push(...(await watcher.poll()));
			expect(emitted).toEqual(ids);
		},
	);

	it('may be ahead of the host by its clock', async () => {
		const service = serviceWith();
		fill(service, 300, -48 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 60, -72 * HOUR);
		const emitted: string[] = [];
		for (let polls = 0; polls < 12; polls++) emitted.push(...(await watcher.poll()));
		expect(emitted).toEqual(ids);
	});

	it('may hold one event that is dated years ahead, and the window stays where it is', async () => {
		const service = serviceWith();
		fill(service, 300);
		service.insert(dated(NOON + 10_000 * HOUR));
		const watcher = watcherOf(service);
		for (let polls = 0; polls < 25; polls++) await watcher.poll();
		const late = service.insert(dated(NOON - 20 * HOUR));
		expect(await watcher.poll()).toEqual([late.id]);
	});

	it('may put events without a timestamp on top', async () => {
		const service = serviceWith({ undated: 'first', totals: false });
		fill(service, 300);
		for (let count = 0; count < 60; count++) service.insert(undated);
		const watcher = watcherOf(service);
		await watcher.poll();
		const [id] = fill(service, 1, MINUTE);
		expect(await watcher.poll()).toEqual([id]);
	});

	it('may have no timestamps at all, but days of filing', async () => {
		const service = serviceWith();
		const filed = (day: string) => ({ eventTimestamp: null, filedDate: day, county: 'Lee' });
		for (let count = 0; count < 120; count++) service.insert(filed('2026-06-30'));
		const watcher = watcherOf(service);
		await watcher.poll();
		const { id } = service.insert(filed('2026-07-01'));
		const emitted: string[] = [];
		for (let polls = 0; polls < 12; polls++) emitted.push(...(await watcher.poll()));
		expect(emitted).toEqual([id]);
	});

	it('may drop every cursor as soon as it is given, as long as the first page can be read', async () => {
		const service = serviceWith();
		fill(service, 100);
		const watcher = new Watcher((cursor) =>
			cursor === null ? service.page(null) : { expired: true },
		);
		await watcher.poll();
		const ids = fill(service, 30, MINUTE);
		expect(await watcher.poll()).toEqual(ids);
	});

	it('may lead in a circle', async () => {
		const service = serviceWith();
		fill(service, 300);
		const watcher = new Watcher((cursor) => {
			const page = service.page(cursor === null ? null : '0:0:0');
			return 'records' in page ? { ...page, cursor: 'round' } : page;
		});
		await watcher.poll();
		expect(watcher.requests).toBeLessThan(5);
		const ids = fill(service, 30, MINUTE);
		expect(await watcher.poll()).toEqual(ids);
	});

	it('may fail on a cursor for good, in whatever words, and new events still come', async () => {
		const service = serviceWith();
		fill(service, 200, 2 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		fill(service, 120, 10 * MINUTE);
		await watcher.poll({ pages: 1 });
		const { cursor: dead } = watcher.state.open ?? {};
		const [id] = fill(service, 1, MINUTE);
		const readPage = async (cursor: string | null) =>
			cursor === dead ? { failure: 'HTTP 500' } : service.page(cursor);
		expect(await watcher.poll({ readPage })).toContain(id);
	});

	it('may fail on a page for good: what is above it comes, and every poll says what it could not read', async () => {
		const service = serviceWith();
		fill(service, 200, 2 * HOUR);
		const watcher = watcherOf(service);
		await watcher.poll();
		const ids = fill(service, 120, MINUTE);
		const readPage = async (cursor: string | null) =>
			cursor === null ? service.page(null) : { failure: 'HTTP 500' };
		expect(await watcher.poll({ readPage })).toEqual(ids.slice(70));
		expect(watcher.unread).toEqual({ failure: 'HTTP 500' });
		expect(await watcher.poll({ readPage })).toEqual([]);
		expect(watcher.unread).toEqual({ failure: 'HTTP 500' });
		expect(await watcher.poll()).toEqual(ids.slice(0, 70));
		expect(watcher.unread).toBeUndefined();
	});
});

describe('A saved state', () => {
	const poll = (saved: unknown) =>
		pollFeed({
			saved,
			filters: 'all',
			readPage: async (cursor) => service.page(cursor),
			matches: () => true,
			lookback: 24 * HOUR,
			maxItems: 1000,
			now: NOON,
			hasTime: () => true,
		});
	const service = serviceWith();
	fill(service, 120);

	it('may be anything that JSON can say: what no poll has written starts quietly', async () => {
		const anything = fc.jsonValue();
		await fc.assert(
			fc.asyncProperty(anything, async (saved) => {
				expect(await poll(saved)).toMatchObject({ events: [], state: { open: null } });
			}),
			{ seed: 1 },
		);
	});

	it('may be damaged in any place, and no poll breaks', async () => {
		const open = await pollFeed({
			saved: undefined,
			filters: 'all',
			readPage: async (cursor) => service.page(cursor),
			matches: () => true,
			lookback: 24 * HOUR,
			maxItems: 1000,
			now: NOON,
			hasTime: () => false,
		});
		if ('failure' in open) throw open.failure;
		const paths = [
			...Object.keys(open.state).map((name) => [name]),
			...Object.keys(open.state.open ?? {}).map((name) => ['open', name]),
		];
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, value) => {
				const saved = structuredClone(open.state) as unknown as Record<string, unknown>;
				const place = path.length === 2 ? (saved.open as Record<string, unknown>) : saved;
				place[path.at(-1) ?? ''] = value;
				const outcome = await poll(saved);
				expect(outcome).toHaveProperty('state');
				expect(Buffer.byteLength(JSON.stringify(outcome))).toBeLessThan(64 * 1024);
			}),
			{ seed: 1 },
		);
	});
});

describe('The latest events', () => {
	const filled = serviceWith({ pageSize: 5 });
	fill(filled, 40);
	const readPage = async (cursor: string | null) => filled.page(cursor);

	it('are the newest that match, oldest first', async () => {
		const matches = ({ id }: { id: string }) => Number(id.slice(4)) % 7 === 0;
		const found = await latest(readPage, matches, 3);
		expect(found).toMatchObject([{ id: 'lic_21' }, { id: 'lic_28' }, { id: 'lic_35' }]);
	});

	it('cost few requests, even where none match', async () => {
		filled.requests = 0;
		fill(filled, 200, MINUTE);
		expect(await latest(readPage, () => false, 3)).toEqual([]);
		expect(filled.requests).toBe(10);
	});

	it('are what could be read, where the list fails further down', async () => {
		const failing = async (cursor: string | null) =>
			cursor === null ? filled.page(null) : { failure: 'no answer' };
		expect(await latest(failing, () => true, 8)).toHaveLength(5);
	});

	it('are told as the failure that they are, where there are none', async () => {
		const failing = async () => ({ failure: 'no answer' });
		expect(await latest(failing, () => true, 3)).toEqual({ failure: 'no answer' });
	});
});
