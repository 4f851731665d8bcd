import { firstOf, KEY_LENGTH, type EventIdentity } from '../licenses/identity';
import { momentOf } from '../licenses/text';
import type { Placed } from './watchedLists';

/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface TriggerState {
	version: 5;
	memories: Partial<Record<KeyKind, Memory>>;
}

/** A test key and a live key show different licenses. Another key or address of the same kind shows the same. */
export type KeyKind = 'live' | 'test';

export interface Memory {
	/** By the event that each lists. */
	lists: Record<string, ListState>;
	/** The keys of what the lists have shown, except for what waits or is in `batches`. */
	seen: string;
	/** How many were found and not handed over yet. A new process has to find them again. */
	waiting: number;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/** Up to which moment full readings have used up their request a minute. */
	paidUntil: number;
	/** Since when nothing has changed; absent once that was said. */
	unchangedSince?: number;
}

export interface ListState {
	/** The filters of its last full reading; absent before the first one has ended. */
	filters?: string;
	/** What is dated since then is news in the first reading, and never too old. */
	startFrom?: number;
	/** When its first reading began, once it has ended. */
	knownSince?: number;
	/** Whether it goes on below what was read. */
	isCut?: boolean;
	/** When the last full reading began, absent if it has to be read now; and how many pages it had. */
	readAt?: number;
	pages?: number;
	/** What its first page and total were; empty if it is to be read again in its turn, whatever they are. */
	signs?: string;
	/** Whether these had changed since the full reading before. */
	showsChanges?: boolean;
	/** How many a new process may find again before it has read all: these are no addition. */
	toFind?: number;
	/** What that reading has shown. */
	listed?: Listed;
}

/** What a full reading has shown. */
export interface Listed {
	/** How many match the filters; and of new filings, how many of each type and county. */
	counts: Record<string, number>;
	/** The tenth-newest date of any event, and the tenth-newest filing date of each license type. */
	newest: Record<string, number>;
}

export interface Batch {
	/** That of an emission. */
	id: string;
	at: number;
	/** When its events were emitted for the first time. */
	firstAt: number;
	keys: string[];
}

/**
 * What became of a batch in the end; until then, it is in flight. Where a process has ended, nobody knows whether n8n
 * took over what it emitted.
 */
export type Fate = 'acknowledged' | 'lost' | 'unknown';
export type FateOf = (batch: Batch) => Fate | 'inFlight';

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): TriggerState | undefined =>
	(saved as Partial<TriggerState> | undefined)?.version === 5 ? (saved as TriggerState) : undefined;

export const BLANK: Memory = { lists: {}, seen: '', waiting: 0, batches: [], paidUntil: 0 };

/** An event that is to be emitted. */
interface Found extends Placed {
	event: string;
	keys: string[];
	foundAt: number;
}

/** What a process holds between polls. */
export const newHeld = () => ({
	/** What was found, and is not emitted yet, by each of its keys. */
	queue: new Map<string, Found>(),
	/** What was emitted, by batch, until n8n has said what became of it. */
	inFlight: new Map<string, Found[]>(),
});

/** The batch that n8n saves together with the state, or refuses with it. */
const WITH_STATE = '';

/** What the lists show for the first time, until n8n has it. */
export class EventQueue {
	/** The keys of what the lists have shown. What was shown longest ago comes first, and is forgotten first. */
	private readonly seen: Set<string>;
	/** The batches that are saved again. */
	private batches: Batch[] = [];
	/** Of how many keys the events may have to come again, and only the lists know them. */
	lost = 0;

	constructor(
		{ seen, batches }: Memory,
		private readonly held: ReturnType<typeof newHeld>,
		fateOf: FateOf,
	) {
		this.seen = new Set(seen.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')));
		for (const batch of batches) this.settle(batch, fateOf(batch));
		for (const one of held.inFlight.get(WITH_STATE) ?? [])
			if (!one.keys.some((key) => this.seen.has(key))) this.hold(one);
		for (const id of held.inFlight.keys())
			if (!this.batches.some((batch) => batch.id === id)) held.inFlight.delete(id);
		this.see([...held.queue.keys()]);
	}

	get waiting(): Set<Found> {
		return new Set(this.held.queue.values());
	}

	/** Takes in an event that the list shows. `classify` is asked for one that it has not shown before. */
	observe<Verdict extends string>(
		found: Omit<Found, 'keys'>,
		identity: EventIdentity,
		classify: () => Verdict,
	): Verdict | undefined {
		const { knownBy, keys } = identity;
		const isKnown = knownBy.some((key) => this.seen.has(key));
		const unseen = keys.filter((key) => !this.seen.has(key));
		this.see(keys);
		const waiting = knownBy.map((key) => this.held.queue.get(key)).find(Boolean);
		if (waiting) {
			// What it is known by since a correction must be found again as well.
			const all = [...waiting.keys, ...unseen];
			this.hold(Object.assign(waiting, found, { foundAt: waiting.foundAt, keys: all }));
		}
		if (isKnown) return undefined;
		const verdict = classify();
		if (verdict === 'news') this.hold({ ...found, keys: unseen });
		return verdict;
	}

	private hold(found: Found): void {
		for (const key of found.keys) this.held.queue.set(key, found);
	}

	/** Says whether it was waiting. */
	drop(key: string): boolean {
		const { queue } = this.held;
		const found = queue.get(key);
		for (const one of found?.keys ?? []) queue.delete(one);
		return found !== undefined;
	}

	/** The oldest, by their own dates. */
	take(most: number, newBatch?: () => Pick<Batch, 'id' | 'at'>) {
		const taken = [...this.waiting].sort(byTime).slice(0, most);
		for (const found of taken) this.drop(firstOf(found));
		const inDoubt = new Map<string, number>();
		for (const { firstAt, keys } of this.batches) for (const key of keys) inDoubt.set(key, firstAt);
		// What is repeated is no longer in doubt.
		const now = new Set(taken.flatMap(({ keys }) => keys));
		for (const one of this.batches) one.keys = one.keys.filter((key) => !now.has(key));
		const batch = newBatch?.();
		const batchId = taken.length > 0 ? (batch?.id ?? WITH_STATE) : undefined;
		this.held.inFlight.set(batchId ?? WITH_STATE, taken);
		if (batch) {
			const firstAtOf = ({ keys }: Found) =>
				inDoubt.get(keys.find((key) => inDoubt.has(key)) ?? '');
			for (const firstAt of new Set(taken.map(firstAtOf))) {
				const keys = taken.filter((one) => firstAtOf(one) === firstAt).flatMap((one) => one.keys);
				this.batches.push({ ...batch, firstAt: firstAt ?? batch.at, keys });
			}
		}
		return { events: taken.map(({ record }) => record), batchId };
	}

	/** What waits is left out of what was seen, so that a new process finds it again. */
	save(mostKeys: number): Pick<Memory, 'seen' | 'waiting' | 'batches'> {
		const batches = this.batches.filter(({ keys }) => keys.length > 0);
		const unsaved = new Set([...this.held.queue.keys(), ...batches.flatMap(({ keys }) => keys)]);
		const kept = [...this.seen].filter((key) => !unsaved.has(key));
		const seen = kept.slice(Math.max(0, kept.length + unsaved.size - mostKeys)).join('');
		return { seen, waiting: this.waiting.size, batches };
	}

	private see(keys: string[]): void {
		for (const key of keys) {
			this.seen.delete(key);
			this.seen.add(key);
		}
	}

	/** What n8n has lost comes again. What it may have lost is found again as long as the fate says so. */
	private settle(batch: Batch, fate: ReturnType<FateOf>): void {
		if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
		if (fate === 'inFlight' || fate === 'acknowledged') {
			this.see(batch.keys);
			// It was found again, and waits while its five minutes pass.
			for (const key of batch.keys) this.drop(key);
			return;
		}
		const lost = (fate === 'lost' && this.held.inFlight.get(batch.id)) || [];
		if (lost.length === 0) this.lost += batch.keys.length;
		for (const one of lost) if (batch.keys.includes(firstOf(one))) this.hold(one);
	}
}

const byTime = (a: Found, b: Found): number =>
	timeOf(a) - timeOf(b) || (firstOf(a) < firstOf(b) ? -1 : 1);

/** When it happened, as far as the record says. */
const timeOf = ({ record, foundAt }: Found): number => momentOf(record.eventTimestamp) ?? foundAt;
