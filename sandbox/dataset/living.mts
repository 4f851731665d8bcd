import type { Clock } from '../clock.mts';
import type { Dataset, Entry } from './dataset.mts';
import { EventLog, type LoggedEvent } from './event-log.mts';
import { newFiling, statusAfter, wholeSecond } from './generation.mts';
import {
	isAddress,
	isEventType,
	textOf,
	type EventType,
	type License,
	type LicensePatch,
} from './license.mts';
import { randomSequence } from './random.mts';
import { isoTime, momentIn, type RecordState } from './rendering.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A record at the moment it appears or changes, as it is and as the service shows it. */
export interface LicenseEvent {
	license: License;
	shown: License;
	previousStatus: string | null;
}
type Listener = (event: LicenseEvent) => void;

class UnknownRecord extends Error {
	readonly statusCode = 404;
}

/**
 * The live key's dataset: filings arrive as time passes, and a test can make them happen. It catches up on
 * arrivals whenever somebody looks, so that no timer decides what the list shows.
 */
export class LivingDataset {
	private readonly log = new EventLog();
	private readonly listeners = new Set<Listener>();
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

	/** The sandbox's time: the clock's, plus what `advance` has skipped. */
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
		return this.dataset.entries.map((entry) => this.dataset.license(entry));
	}

	/** Calls back for every event from now on. */
	onEvent(listener: Listener): void {
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
		return this.updateAt(this.now(), this.entryOf(id), {
			eventType: impliedEvent(partial),
			...partial,
		});
	}

	/** Takes a record out of the list, as if it had never been there. */
	remove(id: string): void {
		this.catchUp();
		this.removeAt(this.now(), this.entryOf(id));
	}

	/** This many new filings at one moment, all with the same timestamp. */
	burst(count: number, partial: LicensePatch = {}): License[] {
		return Array.from({ length: count }, () => this.insert(partial));
	}

	/** A new filing whose timestamp is this many hours old. */
	late(hours: number, partial: LicensePatch = {}): License {
		const eventTimestamp = isoTime(wholeSecond(this.now() - hours * HOUR));
		return this.insert({ eventTimestamp, ...partial });
	}

	/** Lets this much time pass, and everything arrive that is due by then. */
	advance(milliseconds: number): void {
		this.skipped += milliseconds;
		this.catchUp();
	}

	/** Produces what has arrived since the last look. */
	catchUp(): void {
		for (const now = this.now(); this.nextArrival <= now; ) {
			this.insertAt(this.nextArrival, {});
			this.nextArrival += this.waitForNext();
		}
	}

	private waitForNext(): number {
		if (this.filingsPerMinute <= 0) return Number.POSITIVE_INFINITY;
		return (-Math.log(1 - this.random()) * MINUTE) / this.filingsPerMinute;
	}

	private insertAt(at: number, partial: LicensePatch): License {
		const { dataset } = this;
		const filing = newFiling(dataset.seed, dataset.nextSerial, eventTime(partial, at));
		return this.announce(dataset.add(filing, partial), at);
	}

	private updateAt(at: number, entry: Entry, partial: LicensePatch): License {
		const { dataset } = this;
		const { state } = entry;
		const { eventTimestamp: _old, ...planted } = entry.planted;
		const news = { ...partial };
		const { eventType } = news;
		if (!('status' in news) && isEventType(eventType))
			news.status = statusAfter(eventType, this.random());
		if (isAddress(planted.address) && isAddress(news.address))
			news.address = { ...planted.address, ...news.address };
		// A license keeps its number even if its type changes.
		if ('licenseType' in news && news.licenseType !== state.licenseType)
			planted.licenseNumber = dataset.license(entry).licenseNumber;
		const updated = {
			...state,
			time: distinctTime(eventTime(news, at), news, state),
			transfers: state.transfers + (eventType === 'ownership_transfer' ? 1 : 0),
		};
		this.log.hide(entry.serial, isoTime(at));
		const { status: previousStatus } = dataset.shown(entry);
		const replaced = dataset.replace(entry, updated, { ...planted, ...news });
		return this.announce(replaced, at, previousStatus);
	}

	private removeAt(at: number, entry: Entry): void {
		this.dataset.remove(entry);
		this.log.hide(entry.serial, isoTime(at));
	}

	private announce(entry: Entry, at: number, previousStatus: string | null = null): License {
		const license = this.dataset.license(entry);
		this.log.show(entry.serial, license, isoTime(at));
		const event = { license, shown: this.dataset.shown(entry), previousStatus };
		for (const listener of this.listeners) listener(event);
		return license;
	}

	private entryOf(id: string): Entry {
		const entry = this.dataset.find(id);
		if (!entry) throw new UnknownRecord(`The live dataset has no record '${id}'.`);
		return entry;
	}
}

/** An event whose timestamp is no date is placed where its creation would put it. */
const eventTime = ({ eventTimestamp }: LicensePatch, otherwise: number): number =>
	momentIn(eventTimestamp) ?? wholeSecond(otherwise);

/** Two events of a kind within one second would look like one to anyone who tells events apart by their keys. */
const distinctTime = (time: number, partial: LicensePatch, before: RecordState): number =>
	!('eventTimestamp' in partial) &&
	textOf(partial.eventType) === before.eventType &&
	time <= before.time
		? before.time + 1000
		: time;

function impliedEvent(partial: LicensePatch): EventType {
	if (partial.status === 'cancelled') return 'cancellation';
	if ('status' in partial) return 'status_change';
	if ('legalName' in partial || 'businessName' in partial) return 'ownership_transfer';
	return 'renewal';
}
