import { momentOf } from '../licenses/text';
import type { Placed } from './lists';
import { firstOf, readKeys, Seen, writeKeys, type EventKeys, type Key } from './memory';
import type { Verdict } from './news';
import type { Batch, Fate, Memory } from './state';

/** An event that is to be emitted. */
interface Found extends Placed {
	event: string;
	keys: Key[];
	foundAt: number;
	/** When an earlier process emitted it, perhaps in vain. */
	firstAt?: number;
}

/** What a process holds between polls. */
export interface Held {
	/** What was found, and is not emitted yet, by its first key. */
	queue: Map<Key, Found>;
	/** What was emitted, by batch, until n8n has said what became of it. */
	inFlight: Map<string, Found[]>;
}

/** What the lists show for the first time, until n8n has it. */
export class EventQueue {
	private readonly seen: Seen;
	/** The batches that are saved again. */
	private batches: Batch[] = [];
	/** What an earlier process found, or emitted at this time for the first time, perhaps in vain. */
	private readonly toFind = new Map<Key, number | undefined>();

	constructor(
		{ seen, waiting, batches }: Memory,
		private readonly held: Held,
		fateOf: (batch: Batch) => Fate | 'inFlight',
	) {
		this.seen = new Seen(seen);
		for (const key of readKeys(waiting)) this.toFind.set(key, undefined);
		for (const batch of batches) this.settle(batch, fateOf(batch));
		for (const { keys } of held.queue.values()) this.know(keys);
	}

	get size(): number {
		return this.held.queue.size;
	}

	get hasToFind(): boolean {
		return this.toFind.size > 0;
	}

	/** Takes in an event that the list shows. `classify` is asked for one that it has not shown before. */
	observe(
		placed: Placed,
		event: string,
		keys: EventKeys,
		foundAt: number,
		classify: () => Verdict,
	): Verdict | 'repeat' | undefined {
		const { queue } = this.held;
		const key = firstOf(keys);
		const isKnown = this.seen.has(keys);
		const again = keys.knownBy.find((one) => this.toFind.has(one));
		const firstAt = again === undefined ? undefined : this.toFind.get(again);
		this.know(keys.keys);
		if (isKnown) {
			const waiting = queue.get(key);
			if (waiting) queue.set(key, { ...waiting, ...placed });
			return undefined;
		}
		const verdict = again === undefined ? classify() : ('repeat' as const);
		if (verdict === 'news' || verdict === 'repeat')
			queue.set(key, { ...placed, event, keys: keys.keys, foundAt, firstAt });
		return verdict;
	}

	/** Drops what is no longer wanted. It stays known. */
	keep(isWanted: (found: Found) => boolean): void {
		for (const [key, found] of this.held.queue) if (!isWanted(found)) this.drop(key);
	}

	/** Says whether it was waiting. */
	drop(key: Key): boolean {
		return this.held.queue.delete(key);
	}

	/** The oldest, by their own dates. */
	take(most: number, newBatch?: () => Pick<Batch, 'id' | 'at'>) {
		const { queue, inFlight } = this.held;
		const taken = [...queue.values()].sort(byTime).slice(0, most);
		const keysNow = new Set(taken.flatMap(({ keys }) => keys));
		for (const { keys } of taken) queue.delete(String(keys[0]));
		// What is repeated is no longer in doubt.
		this.batches = this.batches
			.map((one) => ({ ...one, keys: writeKeys(without(keysNow, readKeys(one.keys))) }))
			.filter(({ keys }) => keys !== '');
		const batch = taken.length > 0 ? newBatch?.() : undefined;
		if (batch) {
			inFlight.set(batch.id, taken);
			for (const firstAt of new Set(taken.map((one) => one.firstAt ?? batch.at))) {
				const its = taken.filter((one) => (one.firstAt ?? batch.at) === firstAt);
				const keys = writeKeys(its.flatMap((one) => one.keys));
				this.batches.push({ ...batch, firstAt, keys });
			}
		}
		return { events: taken.map(({ record }) => record), batchId: batch?.id };
	}

	/** What waits is left out of what was seen, so that a new process finds it again. */
	save(mostKeys: number, isAllFound: boolean): Pick<Memory, 'seen' | 'waiting' | 'batches'> {
		const waiting = [...this.held.queue.values()].flatMap(({ keys }) => keys);
		if (!isAllFound)
			for (const [key, firstAt] of this.toFind) if (firstAt === undefined) waiting.push(key);
		const { batches } = this;
		const leftOut = new Set([...waiting, ...batches.flatMap(({ keys }) => readKeys(keys))]);
		const seen = this.seen.write(mostKeys - leftOut.size, leftOut);
		return { seen, waiting: writeKeys(waiting), batches };
	}

	/** What n8n has lost comes again. What it may have lost is found again as long as the fate says so. */
	private settle(batch: Batch, fate: Fate | 'inFlight'): void {
		const { queue, inFlight } = this.held;
		const keys = readKeys(batch.keys);
		if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
		if (fate === 'inFlight' || fate === 'acknowledged') {
			this.know(keys);
			// It was found again, and waits while its five minutes pass.
			for (const key of keys) queue.delete(key);
		} else {
			for (const key of keys) this.toFind.set(key, fate === 'lost' ? undefined : batch.firstAt);
			for (const found of (fate === 'lost' && inFlight.get(batch.id)) || [])
				if (keys.includes(String(found.keys[0]))) queue.set(String(found.keys[0]), found);
		}
	}

	private know(keys: Key[]): void {
		this.seen.add(keys);
		for (const key of keys) this.toFind.delete(key);
	}
}

const without = (some: Set<Key>, keys: Key[]): Key[] => keys.filter((key) => !some.has(key));

const byTime = (a: Found, b: Found): number =>
	timeOf(a) - timeOf(b) || (String(a.keys[0]) < String(b.keys[0]) ? -1 : 1);

/** When it happened, as far as the record says. */
const timeOf = ({ record, foundAt }: Found): number => momentOf(record.eventTimestamp) ?? foundAt;
