import type { Clock } from '../clock.mts';
import type { Dataset, Standing } from './dataset.mts';
import { EventLog, type LoggedEvent } from './event-log.mts';
import { newFiling, statusAfter, wholeSecond } from './generation.mts';
import type { EventType, License, LicensePatch } from './license.mts';
import { randomSequence, weightedPicker } from './random.mts';
import { isoTime } from './rendering.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const arrivals = [
	'new_filing',
	'renewal',
	'ownership_transfer',
	'status_change',
	'cancellation',
] as const;
const pickArrival = weightedPicker([45, 25, 11, 12, 7]);
const LATE_SHARE = 0.03;
const BURST_SHARE = 0.01;

class UnknownRecord extends Error {
	readonly statusCode = 404;
}

/** So many of each, of records picked at random. */
export interface Churn {
	insert?: number;
	update?: number;
	remove?: number;
}

/**
 * The live key's dataset: filings arrive as time passes, and a test can make them happen. Arrivals
 * are caught up with whenever somebody looks, so that no timer decides what the list shows.
 */
export class LivingDataset {
	private readonly log = new EventLog();
	private readonly listeners = new Set<(license: License) => void>();
	private readonly random: () => number;
	private skipped = 0;
	private nextArrival: number;

	constructor(
		readonly dataset: Dataset,
		private readonly clock: Clock,
		private readonly filingsPerMinute: number,
	) {
		this.random = randomSequence(dataset.seed);
		this.nextArrival = clock.now() + this.waitForNext();
	}

	/** The sandbox's time: the clock's, and what `advance` has skipped. */
	now(): number {
		return this.clock.now() + this.skipped;
	}

	/** Milliseconds; infinite in a still dataset. */
	get untilNextArrival(): number {
		return this.nextArrival - this.now();
	}

	/** Every event since the start, oldest first. */
	get events(): readonly LoggedEvent[] {
		this.catchUp();
		return this.log.events;
	}

	/** All records as the list would show them now, newest first. */
	records(): License[] {
		this.catchUp();
		return Array.from({ length: this.dataset.size }, (_, rank) =>
			this.dataset.license(this.dataset.at(rank) ?? 0),
		);
	}

	/** Calls back for every event from now on. */
	onEvent(listener: (license: License) => void): void {
		this.listeners.add(listener);
	}

	/** A new record; what `partial` leaves out is generated. */
	insert(partial: LicensePatch = {}): License {
		this.catchUp();
		return this.insertAt(this.now(), partial);
	}

	/**
	 * A new event of a record, which moves to where its timestamp puts it (now, unless given). Without
	 * an event type, a changed status makes a status change, a changed owner or business name an
	 * ownership transfer, and anything else a renewal.
	 */
	update(id: string, partial: LicensePatch = {}): License {
		this.catchUp();
		return this.updateAt(this.now(), this.slotOf(id), {
			eventType: impliedEvent(partial),
			...partial,
		});
	}

	/** Takes a record out of the list, as if it had never been there. */
	remove(id: string): void {
		this.catchUp();
		const slot = this.slotOf(id);
		this.dataset.remove(slot);
		this.log.hide(slot, isoTime(this.now()));
	}

	/** So many new filings in one moment, all with one timestamp. */
	burst(count: number, partial: LicensePatch = {}): License[] {
		return Array.from({ length: count }, () => this.insert(partial));
	}

	/** A new filing whose timestamp is so many hours old. */
	late(hours: number, partial: LicensePatch = {}): License {
		const eventTimestamp = isoTime(wholeSecond(this.now() - hours * HOUR));
		return this.insert({ eventTimestamp, ...partial });
	}

	/** Moves the feed: new filings, events of known records, and removals. */
	churn({ insert = 0, update = 0, remove = 0 }: Churn): void {
		this.burst(insert);
		const anyId = (): string | undefined => {
			const slot = this.dataset.at(Math.floor(this.random() * this.dataset.size));
			return slot === undefined ? undefined : this.dataset.license(slot).id;
		};
		for (let left = update; left > 0; left--) {
			const id = anyId();
			if (id !== undefined) this.update(id);
		}
		for (let left = remove; left > 0; left--) {
			const id = anyId();
			if (id !== undefined) this.remove(id);
		}
	}

	/** Lets that much time pass, and everything arrive that arrives in it. */
	advance(milliseconds: number): void {
		this.skipped += milliseconds;
		this.catchUp();
	}

	/** Produces what has arrived since the last look. */
	catchUp(): void {
		for (const now = this.now(); this.nextArrival <= now; ) {
			const at = this.nextArrival;
			this.nextArrival += this.waitForNext();
			this.arrive(at);
		}
	}

	private waitForNext(): number {
		if (this.filingsPerMinute <= 0) return Number.POSITIVE_INFINITY;
		return (-Math.log(1 - this.random()) * MINUTE) / this.filingsPerMinute;
	}

	private arrive(at: number): void {
		const chance = this.random();
		if (chance < BURST_SHARE) {
			const count = 20 + Math.floor(this.random() * 60);
			for (let filing = 0; filing < count; filing++) this.insertAt(at, {});
			return;
		}
		const isLate = chance < BURST_SHARE + LATE_SHARE;
		const time = wholeSecond(isLate ? at - (1 + this.random() * 19) * HOUR : at);
		const eventTimestamp = isoTime(time);
		const kind = arrivals[pickArrival(this.random())] ?? 'new_filing';
		const slot = this.dataset.at(Math.floor(this.random() * this.dataset.size));
		// An event older than the one its record shows would never be listed: it is filed as new.
		if (kind === 'new_filing' || slot === undefined || this.dataset.timeOf(slot) >= time)
			this.insertAt(at, { eventTimestamp });
		else this.updateAt(at, slot, { eventType: kind, eventTimestamp });
	}

	private insertAt(at: number, partial: LicensePatch): License {
		const { dataset } = this;
		const time = eventTime(partial, at);
		const generated = newFiling(dataset.seed, dataset.nextSlot, time, dataset.places);
		const slot = dataset.add(this.planted(generated, partial), remainder(partial));
		return this.announce(slot, at);
	}

	private updateAt(at: number, slot: number, partial: LicensePatch): License {
		const { dataset } = this;
		const before = dataset.standing(slot);
		const event = partial.eventType as EventType | null;
		const time = distinctTime(eventTime(partial, at), partial, before);
		const standing: Standing = { ...before, time };
		if (partial.status === undefined && event !== null)
			standing.status = statusAfterOr(event, this.random(), before.status);
		if (event === 'ownership_transfer') standing.owner = before.owner + 1;
		const keepsNumber =
			partial.licenseType === undefined || partial.licenseType === before.licenseType
				? {}
				: { licenseNumber: dataset.license(slot).licenseNumber };
		const { eventTimestamp: _old, ...planted } = dataset.plantedIn(slot);
		const address = { ...planted.address, ...partial.address };
		dataset.change(slot, this.planted(standing, partial), {
			...planted,
			...keepsNumber,
			...remainder(partial),
			...(Object.keys(address).length > 0 ? { address } : {}),
		});
		this.log.hide(slot, isoTime(at));
		return this.announce(slot, at);
	}

	private announce(slot: number, at: number): License {
		const license = this.dataset.license(slot);
		this.log.show(slot, license, isoTime(at));
		for (const listener of this.listeners) listener(license);
		return license;
	}

	private slotOf(id: string): number {
		const slot = this.dataset.find(id);
		if (slot === undefined) throw new UnknownRecord(`The live dataset has no record '${id}'.`);
		return slot;
	}

	/** Puts the planted values that lists are filtered and searched by where the filters look. */
	private planted(standing: Standing, partial: LicensePatch): Standing {
		const { dataset } = this;
		const { licenseType, eventType, status, businessName, filedDate, address } = partial;
		const filed = Date.parse(filedDate ?? '');
		return {
			...standing,
			...(licenseType === undefined ? {} : { licenseType }),
			...(eventType === undefined ? {} : { eventType }),
			...(status === undefined ? {} : { status }),
			...(businessName === undefined ? {} : { head: dataset.headOf(businessName ?? ''), tail: 0 }),
			...(Number.isNaN(filed) ? {} : { filed }),
			...(address === undefined
				? {}
				: {
						place: dataset.places.planted(address ?? { city: null, county: null }, standing.place),
					}),
		};
	}
}

const eventTime = ({ eventTimestamp }: LicensePatch, otherwise: number): number => {
	const given = Date.parse(eventTimestamp ?? '');
	return Number.isNaN(given) ? wholeSecond(otherwise) : given;
};

/** Two events of a kind in one second would be one to everybody who tells events by their keys. */
const distinctTime = (time: number, partial: LicensePatch, before: Standing): number =>
	partial.eventTimestamp === undefined &&
	partial.eventType === before.eventType &&
	time <= before.time
		? before.time + 1000
		: time;

/** What a record's stored columns do not hold already. */
function remainder(partial: LicensePatch): LicensePatch {
	const { licenseType, eventType, status, eventTimestamp, businessName, ...rest } = partial;
	if (businessName === null) Object.assign(rest, { businessName });
	const written = eventTimestamp ? Date.parse(eventTimestamp) : undefined;
	if (
		eventTimestamp !== undefined &&
		(written === undefined || isoTime(written) !== eventTimestamp)
	)
		Object.assign(rest, { eventTimestamp });
	return rest;
}

function impliedEvent(partial: LicensePatch): EventType {
	if (partial.status === 'cancelled') return 'cancellation';
	if (partial.status !== undefined) return 'status_change';
	if (partial.legalName !== undefined || partial.businessName !== undefined)
		return 'ownership_transfer';
	return 'renewal';
}

function statusAfterOr(event: EventType, chance: number, before: string | null): string | null {
	const isKnown = (arrivals as readonly string[]).includes(event);
	return isKnown ? statusAfter(event, chance) : before;
}
