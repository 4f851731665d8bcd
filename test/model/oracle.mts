import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, MINUTE, type Entry } from './world.mts';

/** What a record is that my list shows. */
type Standing =
	/** The list is not known yet. */
	| 'before'
	/** It was there before, and must not come. */
	| 'old'
	/** It must come, once it was shown for two full readings. */
	| 'new'
	/** It may come or not: a limit that the document names. */
	| 'either';

interface Shown {
	standing: Standing;
	/** How many full readings have shown it from their beginning to their end. */
	readings: number;
	isListed: boolean;
	listedSince: number;
	isTooOld: boolean;
	/** As in an emission: when it was first shown. */
	process: number;
	entry: Entry;
	record: License;
}

interface Emission {
	at: number;
	/** How often n8n has ended, or another process went on, when it was emitted. */
	process: number;
}

/** What is known of a list when it shows something for the first time. */
export interface ListView {
	/** The filters with which it was last read to its end; undefined if it never was. */
	known: string | undefined;
	/** When that reading began. */
	readAt: number;
	isCut: boolean;
	current: string;
	matches: (filters: string, entry: Entry) => boolean;
	startFrom: number | undefined;
	isOpen: boolean;
}

const GRACE = 5 * MINUTE;
const MOST_OLD = 20;

/**
 * The judge of a history. A record that my list has shown for two full readings after the first, that is not too old, in
 * a list that is not cut, and that neither Max Items
 * holds, has come exactly once, unless it came with more than twenty others that are most of what is listed. Nothing came that my
 * list showed before the first reading ended. Nothing came twice but within five minutes of the first time, after a stop.
 * No more than twenty came at once of a license type that the list did not have, where that is most of it. Saved state has
 * its bound.
 */
export class Oracle {
	private readonly shown = new Map<string, Shown>();
	private readonly emissions = new Map<string, Emission[]>();
	private readonly excusedRepeats = new Set<string>();
	private process = 0;
	private newest = 0;
	private listed = new Set<string>();
	private readonly typesShown = new Set<unknown>();
	/** The license types that new filings had by the end of the last full reading, or since. */
	typesRead: ReadonlySet<unknown> = new Set();

	constructor(private readonly violations: string[]) {}

	/** What my list shows now, and what is known of each list. Called whenever something may have changed. */
	lists(
		entries: Entry[],
		viewOf: (entry: Entry) => ListView,
		lookbackDays: number,
		now: number,
	): void {
		const dates = entries
			.map(({ record }) => Date.parse(String(record.filedDate)))
			.filter((date) => date <= now);
		this.newest = Math.max(this.newest, ...dates);
		for (const one of this.shown.values()) one.isListed = false;
		for (const entry of entries) {
			const { event, record } = entry;
			if (entry.listedAs === 'new_filing') this.typesShown.add(record.licenseType);
			const view = viewOf(entry);
			if (!view.matches(view.current, entry)) continue;
			const known = this.shown.get(event);
			const date = Date.parse(String(record.eventTimestamp));
			// Within a day of the bound, it depends on which page was read first.
			const bound = this.newest - (lookbackDays - 1) * DAY;
			const filed = Date.parse(String(record.filedDate));
			const isTooOld = lookbackDays > 0 && record.eventType === 'new_filing' && filed < bound;
			if (known) {
				if (!known.listedSince) known.listedSince = now;
				known.isListed = true;
				Object.assign(known, { entry, record });
				known.isTooOld ||= isTooOld;
				if (view.isCut) known.standing = 'either';
				// Memory is full, and what moves below the cut for a while is forgotten.
				if (view.isCut) this.excusedRepeats.add(event);
				const isAskedFor = view.startFrom !== undefined && date >= view.startFrom;
				if (known.standing === 'before' && isAskedFor) known.standing = 'either';
				// Its date has moved below Start From before the list was read.
				const isUnasked = view.startFrom !== undefined && date < view.startFrom;
				if (known.standing === 'new' && view.known === undefined && isUnasked)
					known.standing = 'either';
				// What appeared while the list was read for the first time may come or not.
				if (known.standing === 'before' && view.known === view.current)
					known.standing = known.listedSince <= view.readAt ? 'old' : 'either';
				continue;
			}
			this.shown.set(event, {
				standing: standingOf(entry, view, this.newest),
				readings: 0,
				isListed: true,
				listedSince: now,
				isTooOld,
				process: this.process,
				entry,
				record,
			});
		}
		const listed = new Set(entries.map(({ event }) => event));
		const hasShrunk = [...this.listed].some((event) => !listed.has(event));
		this.listed = listed;
		// What stood below moves up.
		if (hasShrunk) this.somethingMoved();
		for (const one of this.shown.values()) {
			if (one.isListed) continue;
			one.listedSince = 0;
			// It was found and waited, and the next process could not find it again.
			if (one.process !== this.process) one.standing = 'either';
			// The first reading may have met it or not.
			if (one.standing === 'before') one.standing = 'either';
		}
	}

	/** A list was read from its top to its end since then, with these filters. */
	wasRead(events: Iterable<string>, since: number): void {
		for (const event of events) {
			const one = this.shown.get(event);
			if (one?.isListed && one.listedSince !== 0 && one.listedSince <= since) one.readings++;
		}
	}

	filingsWereRead(): void {
		this.typesRead = new Set(this.typesShown);
	}

	/** A first reading may have missed what moved to where it has been, and it may come then. */
	somethingMoved(): void {
		for (const one of this.shown.values()) if (one.standing === 'before') one.standing = 'either';
	}

	/**
	 * What was not met for longest is forgotten first, and is new when it returns or can be read again: also of what is
	 * listed, if that is more than has room, or a part of it cannot be read.
	 */
	memoryIsFull(isListedForgotten: boolean): void {
		for (const [event, one] of this.shown) {
			if (one.isListed && !isListedForgotten) continue;
			one.standing = 'either';
			this.excusedRepeats.add(event);
		}
	}

	/** What other filters leave out is no news when it is wanted again. Without a county, nobody can tell. */
	filtersChanged(isWanted: (entry: Entry) => boolean): void {
		for (const one of this.shown.values())
			if (one.record.address?.county !== one.entry.county) one.standing = 'either';
		for (const one of this.shown.values()) if (!isWanted(one.entry)) one.standing = 'either';
	}

	/** What would have been learned is lost with the process, or n8n could not save it. */
	excuseAll(): void {
		for (const one of this.shown.values()) one.standing = 'either';
	}

	/** Some process may know what was shown, and another may not. */
	forget(): void {
		this.excuseAll();
		this.excuseRepeats(this.shown.keys());
	}

	excuse(events: Iterable<string>): void {
		for (const event of events) {
			const one = this.shown.get(event);
			if (one) one.standing = 'either';
		}
	}

	/** What was emitted is not saved: once the process is lost, nobody knows. */
	excuseRepeats(events: Iterable<string>): void {
		for (const event of events) this.excusedRepeats.add(event);
	}

	processChanged(): void {
		this.process++;
	}

	emitted(event: string, now: number): void {
		const one = this.shown.get(event);
		const before = this.emissions.get(event) ?? [];
		this.emissions.set(event, [...before, { at: now, process: this.process }]);
		if (!one) this.violations.push(`came without being in my list: ${event}`);
		else if (one.standing === 'old' || one.standing === 'before')
			this.violations.push(`old: ${event}`);
		const [first] = before;
		if (!first || this.excusedRepeats.has(event)) return;
		const isAfterStop = before.at(-1)?.process !== this.process;
		// A poll that began in time may take a while.
		const isSoon = now - first.at < GRACE + 2 * MINUTE;
		if (!isAfterStop || !isSoon) this.violations.push(`twice: ${event}`);
	}

	/**
	 * What the trigger said was added to the list. It came since the last full reading with more than twenty others, most
	 * of their group. Some of them may have been emitted.
	 */
	keptBack(events: string[], since: number): void {
		const filings = [...this.shown].filter(([, { entry }]) => entry.listedAs === 'new_filing');
		const groupsOf = ({ record }: Shown) => ['all', record.licenseType, record.address?.county];
		for (const event of events) {
			const one = this.shown.get(event);
			const isAddition = (group: unknown) => {
				const inGroup = filings.filter(([, other]) => groupsOf(other).includes(group as string));
				const isArrived = ([name, { standing }]: [string, Shown]) =>
					(standing === 'new' || standing === 'either') &&
					(this.emissions.get(name)?.[0]?.at ?? since) >= since;
				const arrived = inGroup.filter(isArrived).length;
				const others = inGroup.filter((all) => !isArrived(all) && all[1].isListed).length;
				return arrived > MOST_OLD && arrived * 3 > others;
			};
			if (!one || !groupsOf(one).some(isAddition)) this.violations.push(`kept back: ${event}`);
			else one.standing = 'either';
		}
	}

	/** What one poll has found and emitted: more than twenty of a type that was not there before are reported instead. */
	cameAtOnce(events: string[], typesRead: ReadonlySet<unknown>, listed: Entry[]): void {
		const filings = listed.filter(({ listedAs }) => listedAs === 'new_filing');
		const types = new Set(filings.map(({ record }) => record.licenseType));
		for (const type of types) {
			const ofType = filings.filter(({ record }) => record.licenseType === type);
			const came = ofType.filter(({ event }) => events.includes(event)).length;
			// A record that moves while pages are read may be counted twice.
			const isMost = came * 3 > ofType.length * 2;
			if (!typesRead.has(type) && came > MOST_OLD && isMost)
				this.violations.push(`not kept back: ${came} of ${type}`);
		}
	}

	ends(): void {
		for (const [event, { standing, readings, isTooOld }] of this.shown) {
			const isDue = standing === 'new' && readings >= 2 && !isTooOld;
			if (isDue && !this.emissions.has(event)) this.violations.push(`lost: ${event}`);
		}
	}
}

function standingOf(entry: Entry, view: ListView, newest: number): Standing {
	const { record } = entry;
	const { known, current, matches, startFrom, isCut, isOpen } = view;
	const date = Date.parse(String(record.eventTimestamp));
	if (isOpen) return 'either';
	if (known === undefined) return startFrom !== undefined && date >= startFrom ? 'new' : 'before';
	if (isCut) return 'either';
	if (known === current) return 'new';
	// Nobody can tell whether the old filters would have selected it.
	if (record.address?.county !== entry.county) return 'either';
	// The bound of before counts as well.
	const isRecent = Date.parse(String(record.filedDate)) > newest - 15 * DAY;
	return !matches(known, entry) ? 'before' : isRecent ? 'new' : 'either';
}
