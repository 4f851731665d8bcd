import { DAY, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import type { Entry } from './world.mts';

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
	/** Where it was listed at first: the list, and its parts of that type and county. */
	groups: string[];
}

interface Emission {
	/** The first time. */
	at: number;
	/** How often n8n had ended, or another process gone on, the last time. */
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

const momentOf = ({ record }: Entry): number => Date.parse(String(record.eventTimestamp));
/** Where a filing has no date of its own, that of its event stands in. */
const filedAt = ({ record }: Entry): number =>
	Date.parse(String(record.filedDate ?? record.eventTimestamp));
const isFiling = ({ listedAs }: Entry): boolean => listedAs === 'new_filing';
/** Without a county of its own, nobody can tell which filters select it. */
const isPlaced = ({ record, county }: Entry): boolean => record.address?.county === county;

/**
 * The judge of a history. A record that my list has shown for two full readings after the first, that is not too old, in
 * a list that is not cut, and that neither Max Items holds, has come exactly once, unless it came with more than twenty
 * others of its event that are most of what is listed. Nothing came that my list showed before the first reading ended. Nothing came
 * twice but within five minutes of the first time, after a stop. No more than twenty came at once of a license type that
 * the list did not have, where that is most of it. Saved state has its bound.
 */
export class Oracle {
	private readonly shown = new Map<string, Shown>();
	private readonly emissions = new Map<string, Emission>();
	private readonly excusedRepeats = new Set<string>();
	/** What was emitted since the state was last saved. */
	private readonly unsaved = new Set<string>();
	/** What n8n has lost, and has not come since. Another process repeats it for five minutes alone. */
	private readonly inDoubt = new Set<string>();
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
		const dates = entries.map(filedAt).filter((date) => date <= now);
		this.newest = Math.max(this.newest, ...dates);
		// Within a day of the bound, it depends on which page was read first.
		const bound = this.newest - (lookbackDays - 1) * DAY;
		for (const one of this.shown.values()) one.isListed = false;
		for (const entry of entries) {
			const { event, record } = entry;
			if (isFiling(entry)) this.typesShown.add(record.licenseType);
			const view = viewOf(entry);
			if (!view.matches(view.current, entry)) continue;
			const isTooOld =
				lookbackDays > 0 && record.eventType === 'new_filing' && filedAt(entry) < bound;
			const known = this.shown.get(event);
			if (known) {
				known.listedSince ||= now;
				known.isTooOld ||= isTooOld;
				Object.assign(known, { entry, isListed: true });
				this.showAgain(known, view);
			} else {
				const standing = standingOf(entry, view, this.newest);
				const parts = ['all', record.licenseType, record.address?.county];
				const groups = parts.map((part) => `${entry.listedAs} ${part}`);
				const since = { isListed: true, listedSince: now, process: this.process, groups };
				this.shown.set(event, { standing, readings: 0, isTooOld, entry, ...since });
			}
		}
		const listed = new Set(entries.map(({ event }) => event));
		// What stood below moves up.
		if ([...this.listed].some((event) => !listed.has(event))) this.somethingMoved();
		this.listed = listed;
		for (const one of this.shown.values()) {
			if (one.isListed) continue;
			one.listedSince = 0;
			// It was found and waited, and the next process could not find it again. The first reading may have met it or not.
			if (one.process !== this.process || one.standing === 'before') one.standing = 'either';
		}
	}

	private showAgain(one: Shown, { isCut, startFrom, known, current, readAt }: ListView): void {
		const date = momentOf(one.entry);
		if (isCut) {
			one.standing = 'either';
			// Memory is full, and what moves below the cut for a while is forgotten.
			this.excusedRepeats.add(one.entry.event);
		}
		if (startFrom !== undefined) {
			if (one.standing === 'before' && date >= startFrom) one.standing = 'either';
			// Its date has moved below Start From before the list was read.
			if (one.standing === 'new' && known === undefined && date < startFrom)
				one.standing = 'either';
		}
		// What appeared while the list was read for the first time may come or not.
		if (one.standing === 'before' && known === current)
			one.standing = one.listedSince <= readAt ? 'old' : 'either';
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
		this.excuse(({ standing }) => standing === 'before');
	}

	/** These may come or not. */
	excuse(isExcused: (one: Shown) => boolean = () => true): void {
		for (const one of this.shown.values()) if (isExcused(one)) one.standing = 'either';
	}

	/** They may come, and come again. */
	forget(isForgotten: (one: Shown) => boolean = () => true): void {
		this.excuse(isForgotten);
		for (const [event, one] of this.shown) if (isForgotten(one)) this.excusedRepeats.add(event);
	}

	/** What other filters leave out is no news when it is wanted again. */
	filtersChanged(isWanted: (entry: Entry) => boolean): void {
		this.excuse(({ entry }) => !isPlaced(entry) || !isWanted(entry));
	}

	saved(): void {
		this.unsaved.clear();
	}

	/** What was emitted is not saved: nobody knows of it any more. And of what n8n has lost, perhaps. */
	processLost(): void {
		this.process++;
		for (const event of this.unsaved) this.excusedRepeats.add(event);
		this.excuse(({ entry }) => this.inDoubt.has(entry.event));
	}

	lost(events: string[]): void {
		for (const event of events) this.inDoubt.add(event);
	}

	emitted(event: string, now: number, isStateSaved: boolean): void {
		this.inDoubt.delete(event);
		if (!isStateSaved) this.unsaved.add(event);
		const one = this.shown.get(event);
		const before = this.emissions.get(event);
		this.emissions.set(event, { at: before?.at ?? now, process: this.process });
		if (!one) this.violations.push(`came without being in my list: ${event}`);
		else if (one.standing === 'old' || one.standing === 'before')
			this.violations.push(`old: ${event}`);
		if (!before || this.excusedRepeats.has(event)) return;
		const isAfterStop = before.process !== this.process;
		// A poll that began in time may take a while.
		const isSoon = now - before.at < GRACE + 2 * MINUTE;
		if (!isAfterStop || !isSoon) this.violations.push(`twice: ${event}`);
	}

	/**
	 * What the trigger said was added to a list. It came since the last full reading with more than twenty others, which
	 * may have become something else or have been emitted since; and where the list was read to its end, they are most of
	 * their group.
	 */
	keptBack(events: string[], since: number, isWhole: boolean): void {
		const isArrived = ([event, { standing }]: [string, Shown]) =>
			(standing === 'new' || standing === 'either') &&
			(this.emissions.get(event)?.at ?? since) >= since;
		const isAddition = (group: string) => {
			const inGroup = [...this.shown].filter(([, { groups }]) => groups.includes(group));
			const arrived = inGroup.filter(isArrived).length;
			const others = inGroup.filter((one) => !isArrived(one) && one[1].isListed).length;
			return arrived > MOST_OLD && (!isWhole || arrived * 3 > others);
		};
		for (const event of events) {
			const one = this.shown.get(event);
			if (!one?.groups.some(isAddition)) this.violations.push(`kept back: ${event}`);
			else one.standing = 'either';
		}
	}

	/** What one poll has found and emitted: more than twenty of a type that was not there before are reported instead. */
	cameAtOnce(events: string[], typesRead: ReadonlySet<unknown>, listed: Entry[]): void {
		const filings = listed.filter(isFiling);
		for (const type of new Set(filings.map(({ record }) => record.licenseType))) {
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
	const { known, current, matches, startFrom, isCut, isOpen } = view;
	if (isOpen) return 'either';
	if (known === undefined)
		return startFrom !== undefined && momentOf(entry) >= startFrom ? 'new' : 'before';
	if (isCut) return 'either';
	if (known === current) return 'new';
	if (!isPlaced(entry)) return 'either';
	if (!matches(known, entry)) return 'before';
	// The bound of before counts as well.
	return filedAt(entry) > newest - 15 * DAY ? 'new' : 'either';
}
