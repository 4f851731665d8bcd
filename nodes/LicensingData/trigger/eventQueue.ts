import { type EventIdentity, firstKey, KEY_LENGTH } from '../licenses/eventIdentity';
import { momentOf } from '../licenses/time';
import type { Fate } from './handover';
import type { Found, Progress } from './progress';
import type { Batch, Memory } from './stateFormat';

/** The batch that n8n saves together with the state, or refuses with it. */
const WITH_STATE = '';

const keysIn = (text: string) => text.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')) ?? [];

/** What the lists show for the first time, until n8n has it. */
export class EventQueue {
	/** The keys of what the lists have shown. What was shown longest ago comes first, and is forgotten first. */
	private readonly seen: Set<string>;
	/** The keys of what has to be found again. Only the lists have these events. */
	readonly toFind: Set<string>;
	/** The batches that are saved again. */
	private batches: Batch[] = [];

	/** Takes what was saved, and what this process holds. */
	constructor(
		{ seen, waiting }: Memory,
		private readonly held: Pick<Progress, 'queue' | 'inFlight'>,
	) {
		this.seen = new Set(keysIn(seen));
		this.toFind = new Set(keysIn(waiting));
	}

	get waiting(): Set<Found> {
		return new Set(this.held.queue.values());
	}

	/** What n8n has lost comes again. What it may have lost is found again as long as the fate says so. */
	settle(batches: Batch[], fateOf: (batch: Batch) => Fate): void {
		const { inFlight, queue } = this.held;
		for (const batch of batches) {
			const { id, keys } = batch;
			const fate = fateOf(batch);
			if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
			if (fate === 'inFlight' || fate === 'acknowledged') {
				this.see(keys);
				// It was found again, and waits while its five minutes pass.
				for (const key of keys) this.drop(key);
				continue;
			}
			const lost = (fate === 'lost' && inFlight.get(id)) || [];
			if (lost.length === 0) for (const key of keys) this.toFind.add(key);
			for (const one of lost) if (keys.includes(firstKey(one))) this.hold(one);
		}
		// What was refused together with the state waits again.
		for (const one of inFlight.get(WITH_STATE) ?? [])
			if (!one.keys.some((key) => this.seen.has(key))) this.hold(one);
		for (const id of inFlight.keys())
			if (!this.batches.some((batch) => batch.id === id)) inFlight.delete(id);
		this.see([...queue.keys()]);
		for (const key of queue.keys()) this.toFind.delete(key);
	}

	/** Takes in an event that the list shows, and says whether it was unseen. `isNews` is asked only then. */
	observe(
		found: Omit<Found, 'keys'>,
		{ knownBy, keys }: EventIdentity,
		isNews: (isFoundAgain: boolean) => boolean,
	): boolean {
		const isKnown = knownBy.some((key) => this.seen.has(key));
		const unseen = keys.filter((key) => !this.seen.has(key));
		this.see(keys);
		const waiting = knownBy.map((key) => this.held.queue.get(key)).find(Boolean);
		if (waiting) {
			// It comes as the list shows it last, except that a row without an expiration date says less.
			if (isDated(found) || !isDated(waiting)) Object.assign(waiting, found);
			// What it is known by since a correction must be found again as well.
			waiting.keys.push(...unseen);
			this.hold(waiting);
		}
		if (isKnown) return false;
		const isHeld = isNews(knownBy.some((key) => this.toFind.has(key)));
		for (const key of [...knownBy, ...keys]) this.toFind.delete(key);
		if (isHeld) this.hold({ ...found, keys: unseen });
		return true;
	}

	private hold(found: Found): void {
		for (const key of found.keys) this.held.queue.set(key, found);
	}

	/** Says whether it was waiting. */
	drop(key: string): boolean {
		const found = this.held.queue.get(key);
		for (const one of found?.keys ?? []) this.held.queue.delete(one);
		return found !== undefined;
	}

	/** The oldest, by their own dates. */
	take(max: number, newBatch?: () => Pick<Batch, 'id' | 'at'>) {
		const taken = [...this.waiting].sort((a, b) => timeOf(a) - timeOf(b)).slice(0, max);
		for (const found of taken) this.drop(firstKey(found));
		const batch = newBatch?.();
		const batchId = taken.length > 0 ? (batch?.id ?? WITH_STATE) : undefined;
		this.held.inFlight.set(batchId ?? WITH_STATE, taken);
		if (batch) this.note(batch, new Set(taken.flatMap(({ keys }) => keys)));
		return { events: taken.map(({ record }) => record), batchId };
	}

	/** What is repeated is in doubt as long as it has been, and no longer in its earlier batch. */
	private note(batch: Pick<Batch, 'id' | 'at'>, taken: Set<string>): void {
		const emittedAt = new Map([...taken].map((key) => [key, batch.at]));
		for (const one of this.batches) {
			for (const key of one.keys) if (taken.has(key)) emittedAt.set(key, one.firstAt);
			one.keys = one.keys.filter((key) => !taken.has(key));
		}
		for (const firstAt of new Set(emittedAt.values())) {
			const keys = [...taken].filter((key) => emittedAt.get(key) === firstAt);
			this.batches.push({ ...batch, firstAt, keys });
		}
	}

	/** What waits is left out of what was seen, so that a new process finds it again. */
	save(mostKeys: number): Pick<Memory, 'seen' | 'waiting' | 'batches'> {
		const batches = this.batches.filter(({ keys }) => keys.length > 0);
		const inBatches = new Set(batches.flatMap(({ keys }) => keys));
		const toSave = [...this.held.queue.keys(), ...this.toFind];
		const waiting = toSave.filter((key) => !inBatches.has(key));
		const unsaved = new Set([...waiting, ...inBatches]);
		const kept = [...this.seen].filter((key) => !unsaved.has(key));
		const seen = kept.slice(Math.max(0, kept.length + unsaved.size - mostKeys)).join('');
		return { seen, waiting: waiting.join(''), batches };
	}

	private see(keys: string[]): void {
		for (const key of keys) {
			this.seen.delete(key);
			this.seen.add(key);
		}
	}
}

const isDated = ({ record }: Pick<Found, 'record'>): boolean =>
	momentOf(record.expirationDate) !== undefined;

/** When it happened. What does not say so comes last. */
const timeOf = ({ record }: Found): number => momentOf(record.eventTimestamp) ?? Infinity;
