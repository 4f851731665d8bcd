import type { EventRecord } from '../license/event';
import type { Place } from './place';
import { hashOf, isDated, isSameMoment, readPlaces, startOf, writePlaces } from './place';
import type { Found, ReadPage, ScanContext } from './scan';
import { Scan } from './scan';
import type { Emission, FeedState, Forgotten, Query } from './state';
import { belowEmissions, knownPlaces, newestOf, remember, restore, windowStart } from './state';

export interface Poll<Entry extends EventRecord> {
	/** What the last poll returned as its state, or whatever else was saved under its name. */
	saved: unknown;
	/** What the last poll of this process returned as its progress. */
	progress?: Progress<Entry>;
	/** Whose list this is, and what the service filters. Another account starts from nothing. */
	account: string;
	query: Query;
	/** Identifies what the trigger filters itself, with `matches`. */
	filters: string;
	matches: (record: Entry) => boolean;
	/** Whether the service would have listed the record for another query. */
	wasListed: (record: Entry, query: Query) => boolean;
	/** Events since this time are news even at the very first poll. */
	startFrom?: number;
	/** Milliseconds by which an event may turn up late. */
	lookback: number;
	maxItems: number;
	/** How many events may be remembered. */
	capacity: number;
	now: number;
	readPage: ReadPage<Entry>;
	hasTime: () => boolean;
	/** How many bytes this trigger may hold in the process. */
	room: () => number;
	/** What became of an earlier emission. One that is open may still be lost. */
	fateOf: (emission: Emission) => 'taken' | 'lost' | 'open';
	/** A name and a time for what this poll emits; undefined where n8n saves it together with the state. */
	newEmission?: () => Pick<Emission, 'id' | 'at'>;
}

/** What takes several polls. Nothing of it has been emitted, so whoever loses it just reads again. */
export interface Progress<Entry extends EventRecord> {
	/** The query and filters that it was read with. */
	purpose: string;
	/** From the top down to the known. */
	top?: Scan<Entry>;
	/** From there down to the bottom. */
	below?: Scan<Entry>;
	/** Found, and not emitted yet. */
	waiting: Map<Place, Found<Entry>>;
	/** What changes in the state once nothing waits. */
	pending: Partial<FeedState>;
	/** After a change of the query, until its list has been read: the query before, and how far it had come. */
	former?: { query: Query; newestKnown: Place };
}

export interface Outcome<Entry extends EventRecord> {
	/** Oldest first. */
	events: Entry[];
	state: FeedState;
	progress: Progress<Entry>;
	/** How many events were found and wait for the next poll. */
	waiting: number;
	isLearning: boolean;
	forgotten: Forgotten;
	/** By how many records the list fell short of its own total. */
	shortBy: number;
	/** A page that could not be read. Where it `isStuck`, what stands above it is emitted. */
	unread?: { failure: unknown; isStuck: boolean };
}

/** Promise 5: the tenth poll goes deep. */
const POLLS_UNTIL_DEEP = 9;

/** Of a state that does not say all that was found: whoever goes on from it looks again, all the way down. */
const UNPROVEN = { polls: POLLS_UNTIL_DEEP, total: null };

const MOST_NEWS_WHILE_LEARNING = 500;

/** What is remembered of the first page. The interface allows fifty. */
const LONGEST_PAGE = 50;

export const bytesOf = <Entry extends EventRecord>({
	top,
	below,
	waiting,
}: Progress<Entry>): number =>
	[...waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0) +
	(top?.bytes ?? 0) +
	(below?.bytes ?? 0);

/**
 * One poll: reads the list from the top to where the known begins, at times down to where the window begins,
 * and brings what it did not know. From the state, the progress and the pages alone; see docs/trigger.md.
 */
export async function pollFeed<Entry extends EventRecord>(
	poll: Poll<Entry>,
): Promise<Outcome<Entry> | { failure: unknown; progress: Progress<Entry> }> {
	return await new FeedPoll(poll).run();
}

class FeedPoll<Entry extends EventRecord> {
	private readonly state: FeedState;
	private readonly emissions: Emission[];
	private readonly known: Set<Place>;
	private readonly firstPage: Set<string>;
	private readonly newsWhileLearning: Set<Place>;
	private readonly progress: Progress<Entry>;
	private readonly looksAnew: boolean;
	/** What n8n lost may by now stand below pages of old records that somebody entered. */
	private readonly hasLost: boolean;
	private unread: Outcome<Entry>['unread'];
	private shortBy = 0;

	constructor(private readonly poll: Poll<Entry>) {
		const saved = restore(poll.saved);
		const isOurs = saved?.account === poll.account;
		const isSameQuery = isOurs && isEqual(saved.query, poll.query);
		const state = isOurs ? saved : newState(poll);
		const lost = state.emissions.filter((emission) => poll.fateOf(emission) === 'lost');

		this.emissions = state.emissions.filter((emission) => poll.fateOf(emission) === 'open');
		this.known = knownPlaces(state, (emission) => lost.includes(emission));
		this.hasLost = lost.length > 0;
		const lostHashes = lost.flatMap(({ places }) => readPlaces(places)).map(hashOf);
		this.firstPage = new Set(state.firstPage.filter((hash) => !lostHashes.includes(hash)));
		this.newsWhileLearning = new Set(readPlaces(state.learning?.news ?? ''));
		this.state = { ...state, ...(this.hasLost && UNPROVEN) };

		const purpose = JSON.stringify([poll.query, poll.filters]);
		const goesOn = poll.progress?.purpose === purpose && isOurs && !this.hasLost;
		this.progress = (goesOn && poll.progress) || { purpose, waiting: new Map(), pending: {} };
		this.looksAnew =
			state.learning !== undefined &&
			[...this.known].every((place) => this.newsWhileLearning.has(place));
		if (!goesOn && !this.looksAnew && !isSameQuery) this.progress.former = formerOf(state, poll);
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown; progress: Progress<Entry> }> {
		const { progress } = this;
		if (this.hasRoom()) {
			const failure = (await this.readTop()) ?? (await this.readBelow());
			if (failure) return { ...failure, progress };
		}
		return this.emit();
	}

	/** What is new never waits for what may be late: first the top, then down with the time that is left. */
	private async readTop(): Promise<{ failure: unknown } | undefined> {
		const { progress } = this;
		// With nothing to compare with, all is read at once: at a first look, and where the query has changed.
		if (this.looksAnew || progress.former) return undefined;
		progress.top ??= new Scan<Entry>('top');
		const failed = await progress.top.readOn(this.contextOf(progress.top));
		if (failed?.isTop) return failed;
		this.note(progress.top, failed);
		if (progress.top.standing === 'reading') return undefined;
		this.learn(progress.top);
		this.enqueue(progress.top);
		return undefined;
	}

	private async readBelow(): Promise<{ failure: unknown } | undefined> {
		const { progress, poll } = this;
		const { top } = progress;
		// Below a page that never comes, nothing can be reached either: what was found there is emitted.
		if (top?.standing === 'stuck') progress.below?.giveUp();
		else if (top && (top.standing !== 'over' || !poll.hasTime())) return undefined;
		else if (top && !top.hasReachedBottom && this.isDeepDue(top))
			progress.below ??= top.goOnBelow(this.state.learning || this.hasLost ? 'learn' : 'deep');
		// One that got stuck begins again.
		if (this.looksAnew || progress.former) progress.below ??= new Scan('learn');
		const { below } = progress;
		if (!below) return undefined;
		const failed = await below.readOn(this.contextOf(below));
		if (failed?.isTop && !top) return failed;
		this.note(below, failed);
		const isOver = below.standing !== 'reading';
		// Until the list of another query has been read, what was known tells what of it is new.
		if (this.state.learning || isOver) this.learn(below);
		if (isOver) this.enqueue(below);
		return undefined;
	}

	private isDeepDue({ total, unfamiliar }: Scan<Entry>): boolean {
		const polls = this.progress.pending.polls ?? this.state.polls;
		const grownBy = total !== null && this.lastTotal !== null ? total - this.lastTotal : 0;
		return this.state.learning !== undefined || polls >= POLLS_UNTIL_DEEP || grownBy > unfamiliar;
	}

	private get lastTotal(): number | null {
		return this.progress.pending.total ?? this.state.total;
	}

	private contextOf(scan: Scan<Entry>): ScanContext<Entry> {
		const { poll, state, known, progress } = this;
		return {
			readPage: poll.readPage,
			hasTime: poll.hasTime,
			lastTotal: this.lastTotal,
			room: () => poll.room() - bytesOf(progress) + scan.bytes,
			judge: (place, isBelowTop) => {
				const isFound = progress.waiting.has(place) || progress.below?.found.has(place);
				if (known.has(place) || isFound) return 'familiar';
				const wasOnFirstPage = this.firstPage.has(hashOf(place));
				const isOld = isDated(place)
					? place <= state.floor
					: state.hasForgottenUndated && (isBelowTop || wasOnFirstPage);
				if (!isOld) return 'unknown';
				return wasOnFirstPage ? 'familiar' : 'history';
			},
			marksTheOld: (place) => !this.newsWhileLearning.has(place) && !progress.waiting.has(place),
			wasThere: (record, place, isOnTop) => this.wasThere(record, place, isOnTop),
			matches: poll.matches,
			// Where each record is within the lookback of the date that the list goes by, two are within twice that.
			mostDisorder: 2 * poll.lookback,
			bottom: (found) => (state.learning ? this.firstWindow(found) : state.floor),
		};
	}

	/** Promises 3 and 11. */
	private wasThere(record: Entry, place: Place, isOnTop: boolean): boolean {
		const { learning } = this.state;
		const { former } = this.progress;
		// What stands above the first that was learned is news, what stands below was there.
		if (former ? isNewer(place, former.newestKnown) : isOnTop) return false;
		if (!learning) return former !== undefined && !this.poll.wasListed(record, former.query);
		return !isDated(place) || learning.newsFrom === null || place < learning.newsFrom;
	}

	/** Promise 3: a first look reads down to where the window begins, or to where news were asked for. */
	private firstWindow(found: Iterable<Place>): Place {
		const start = windowStart([...this.known, ...found], this.poll.now, this.poll.lookback);
		const newsFrom = this.state.learning?.newsFrom ?? start;
		return newsFrom < start ? newsFrom : start;
	}

	/** What was there before is known at once, so that any process can go on from there. */
	private learn(scan: Scan<Entry>): void {
		for (const { place, wasThere } of scan.found.values()) {
			if (!wasThere) continue;
			this.known.add(place);
			scan.forget(place);
		}
	}

	private enqueue(scan: Scan<Entry>): void {
		for (const event of scan.takeFound())
			if (!this.known.has(event.place)) this.progress.waiting.set(event.place, event);
	}

	private note(scan: Scan<Entry>, failed: { failure: unknown } | undefined): void {
		if (failed) this.unread = { failure: failed.failure, isStuck: scan.standing === 'stuck' };
		this.shortBy ||= scan.shortBy;
	}

	/** While memory is full of events that wait, they are emitted before more is read. */
	private hasRoom(): boolean {
		const { waiting } = this.progress;
		return waiting.size === 0 || this.poll.room() > bytesOf(this.progress);
	}

	/** What the state will say once nothing waits any longer. */
	private settle(): Partial<FeedState> {
		const { state, poll, known, progress } = this;
		const { top, below, pending } = progress;
		const first = top ?? below;
		if (!first || top?.standing === 'reading') return pending;
		const scans = [top, below].filter((scan) => scan !== undefined);
		const isWhole = scans.every((scan) => scan.standing !== 'stuck' && !scan.hasDropped);
		if (!isWhole) return { ...pending, ...UNPROVEN };

		const polls = pending.polls ?? state.polls;
		const firstPage = first.firstPage.slice(0, LONGEST_PAGE);
		// Only a deep scan proves a total: without a proven one before, none is kept.
		const total = this.lastTotal === null ? null : first.total;
		const seen = { ...pending, total, at: poll.now, firstPage };
		if (below?.standing === 'reading') return { ...seen, polls: POLLS_UNTIL_DEEP };
		if (!below && !top?.hasReachedBottom) return { ...seen, polls: polls + 1 };
		// A total that grew without reason is not believed before the next deep scan.
		const isBaseless = polls < POLLS_UNTIL_DEEP && below?.hasFoundAny === false;
		return {
			...seen,
			total: isBaseless ? null : first.total,
			polls: 0,
			floor: state.nextFloor > state.floor ? state.nextFloor : state.floor,
			nextFloor: windowStart([...known, ...progress.waiting.keys()], poll.now, poll.lookback),
		};
	}

	/** A look at a list that was not known ends with its reading, whatever waits then. */
	private endOfLook(): Partial<FeedState> {
		const { state, progress, poll } = this;
		const { top, below, former } = progress;
		const isRead = below ? below.standing === 'over' : top?.hasReachedBottom === true;
		if (!isRead || !(state.learning || former)) return {};
		const floor = state.learning ? this.firstWindow(progress.waiting.keys()) : state.floor;
		return { learning: undefined, query: poll.query, floor };
	}

	/**
	 * Promises 2 and 6. Nothing newer than the first event that waits becomes known, so the floor never passes
	 * what waits, and a process that ends here loses nothing.
	 */
	private emit(): Outcome<Entry> {
		const { poll, known, progress } = this;
		const endOfLook = this.endOfLook();
		progress.pending = this.settle();
		if (progress.top?.standing !== 'reading') progress.top = undefined;
		if (progress.below?.standing === 'over') progress.former = undefined;
		if (progress.below?.standing !== 'reading') progress.below = undefined;

		const events: Entry[] = [];
		const emitted: Place[] = [];
		const passed: Place[] = [];
		for (const { place, record } of [...progress.waiting.values()].sort(byPlace)) {
			if (record && events.length === poll.maxItems) break;
			if (record) emitted.push(place);
			if (record) events.push(record);
			passed.push(place);
			known.add(place);
			progress.waiting.delete(place);
		}
		const { state, forgotten } = this.write(emitted, passed, endOfLook);
		return {
			events,
			state,
			progress,
			waiting: [...progress.waiting.values()].filter(({ record }) => record).length,
			isLearning: state.learning !== undefined,
			forgotten,
			shortBy: this.shortBy,
			unread: this.unread,
		};
	}

	/** What still waits has to look new to whoever goes on from the state. */
	private firstPageWithoutWaiting(): string[] {
		const { waiting, pending } = this.progress;
		const hashes = new Set([...waiting.keys()].map(hashOf));
		return (pending.firstPage ?? [...this.firstPage]).filter((hash) => !hashes.has(hash));
	}

	private write(
		emitted: Place[],
		passed: Place[],
		endOfLook: Partial<FeedState>,
	): { state: FeedState; forgotten: Forgotten } {
		const { poll, progress, known } = this;
		const isUnfinished = progress.waiting.size > 0 || progress.top !== undefined;
		const settled = isUnfinished
			? { ...UNPROVEN, firstPage: this.firstPageWithoutWaiting() }
			: progress.pending;
		const { learning } = this.state;
		const state = {
			...this.state,
			...(learning && { learning: { ...learning, news: withLatest(learning.news, passed) } }),
			...settled,
			...endOfLook,
		};
		if (!isUnfinished) progress.pending = {};
		const emissions = this.emissions.slice();
		if (poll.newEmission && emitted.length > 0)
			emissions.push({ ...poll.newEmission(), places: writePlaces(emitted) });
		const floor = belowEmissions(state.floor, emissions);
		// What a first look read not so far down must stay below the floor, whatever it emitted.
		const lowest = endOfLook.floor ?? this.state.floor;
		return remember(
			{ ...state, floor: floor > lowest ? floor : lowest },
			known,
			emissions,
			poll.capacity,
		);
	}
}

/** A first look is over soon, and what is new until then are few. */
const withLatest = (text: string, news: Place[]): string =>
	writePlaces([...readPlaces(text), ...news].slice(-MOST_NEWS_WHILE_LEARNING));

/** Of a day without hours, nobody can say which of its events are the newest. */
const isNewer = (place: Place, other: Place): boolean =>
	isDated(place) && place > other && !isSameMoment(place, other);

const byPlace = (a: { place: Place }, b: { place: Place }): number => (a.place < b.place ? -1 : 1);

const isEqual = (a: Query, b: Query): boolean =>
	JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

function newState<Entry extends EventRecord>(poll: Poll<Entry>): FeedState {
	const newsFrom = poll.startFrom === undefined ? null : startOf(poll.startFrom);
	return {
		version: 2,
		account: poll.account,
		query: poll.query,
		at: poll.now,
		floor: '',
		nextFloor: '',
		...UNPROVEN,
		known: '',
		emissions: [],
		firstPage: [],
		hasForgottenUndated: false,
		// Start From counts when the workflow is published for the first time.
		learning: { newsFrom: poll.saved === undefined ? newsFrom : null, news: '' },
	};
}

/** Promise 11: what the former query did not list counts as news only if it is newer than all that is known. */
function formerOf<Entry extends EventRecord>(
	state: FeedState,
	{ now, lookback }: Poll<Entry>,
): { query: Query; newestKnown: Place } {
	// An emission that n8n lost tells as well how far the list had come.
	const newest =
		newestOf(
			knownPlaces(state, () => false),
			now,
		) ?? '';
	// A first look that is not over has not learned the last hours yet.
	const since = startOf(state.learning ? state.at : state.at - lookback);
	return { query: state.query, newestKnown: newest > since ? newest : since };
}
