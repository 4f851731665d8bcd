import type { EventRecord } from '../../domain/event';
import type { Place } from './sortKey';
import { hashOf, isDated, isSameMoment, readPlaces, writePlaces } from './sortKey';
import type { Found, ScanContext } from './scan';
import { Scan } from './scan';
import { POLLS_UNTIL_DEEP, UNPROVEN, formerOf, isEqual, newState } from './newState';
import type { Emission, FeedState, Forgotten } from './state';
import { belowEmissions, knownPlaces, remember, restore, windowStart } from './state';
import type { Outcome, Poll, Progress } from './types';

const MOST_NEWS_WHILE_LEARNING = 500;

/** How much of the first page is remembered. The interface allows fifty. */
const LONGEST_PAGE = 50;

export const bytesOf = <Entry extends EventRecord>(progress: Progress<Entry>): number =>
	[...progress.waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0) +
	(progress.top?.bytes ?? 0) +
	(progress.deep?.bytes ?? 0);

/**
 * One poll: a top scan, sometimes a deep scan, and then the emission of what they found. It depends only on
 * the state, the progress and the pages. See docs/trigger.md.
 */
export class FeedPoll<Entry extends EventRecord> {
	private readonly state: FeedState;
	private readonly openEmissions: Emission[];
	private readonly known: Set<Place>;
	private readonly firstPage: Set<string>;
	private readonly newsWhileLearning: Set<Place>;
	private readonly progress: Progress<Entry>;
	/**
	 * Whether this is a first look that has learned nothing yet. If it has learned something, and forgotten it for
	 * lack of room, the floor has risen.
	 */
	private readonly hasLearnedNothing: boolean;
	private unread: Outcome<Entry>['unread'];
	private shortBy = 0;

	constructor(private readonly poll: Poll<Entry>) {
		const saved = restore(poll.saved);
		const isSameAccount = saved?.account === poll.account;
		const isSameQuery = isSameAccount && isEqual(saved.query, poll.query);
		const state = isSameAccount ? saved : newState(poll);
		const lost = state.emissions.filter((emission) => poll.fateOf(emission) === 'lost');
		const notLost = state.emissions.filter((emission) => !lost.includes(emission));

		this.openEmissions = notLost.filter((emission) => poll.fateOf(emission) === 'open');
		this.known = knownPlaces(state, notLost);
		const hasLost = lost.length > 0;
		const lostHashes = lost.flatMap(({ places }) => readPlaces(places)).map(hashOf);
		this.firstPage = new Set(state.firstPage.filter((hash) => !lostHashes.includes(hash)));
		this.newsWhileLearning = new Set(readPlaces(state.learning?.news ?? ''));
		this.state = { ...state, ...(hasLost && UNPROVEN) };

		const purpose = JSON.stringify([poll.query, poll.filters]);
		const goesOn = poll.progress?.purpose === purpose && isSameAccount && !hasLost;
		this.progress = (goesOn && poll.progress) || { purpose, waiting: new Map(), pending: {} };
		this.hasLearnedNothing =
			state.learning !== undefined &&
			state.floor === '' &&
			[...this.known].every((place) => this.newsWhileLearning.has(place));
		if (!goesOn && !this.hasLearnedNothing && !isSameQuery)
			this.progress.former = formerOf(state, poll.now, poll.lookback);
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown; progress: Progress<Entry> }> {
		const { progress } = this;
		if (this.hasRoom()) {
			const failure = (await this.readTop()) ?? (await this.readDeep());
			if (failure) return { ...failure, progress };
		}
		return this.emit();
	}

	/** The newest never wait for late ones: first comes the top scan, then a deep scan in the time left. */
	private async readTop(): Promise<{ failure: unknown } | undefined> {
		const { progress } = this;
		// With nothing to compare with, one scan reads everything: at a first look, and where the query changed.
		if (this.hasLearnedNothing || progress.former) return undefined;
		progress.top ??= new Scan<Entry>('top');
		const failed = await progress.top.readOn(this.contextOf(progress.top));
		if (failed?.isFirstPage) return failed;
		// This is the page that the deep scan could not read in an earlier poll.
		if (failed && progress.deep?.failsWhere(progress.top)) progress.top.standing = 'stuck';
		this.note(progress.top, failed);
		if (progress.top.standing === 'reading') return undefined;
		this.learn(progress.top);
		this.enqueue(progress.top);
		return undefined;
	}

	private async readDeep(): Promise<{ failure: unknown } | undefined> {
		const { progress, poll } = this;
		const { top } = progress;
		// Nothing below a page that never comes can be reached. What a deep scan has found there is emitted.
		if (top?.standing === 'stuck' && progress.deep) progress.deep.standing = 'stuck';
		else if (top && (top.standing !== 'over' || !poll.hasTime())) return undefined;
		else if (top && !top.hasReachedBottom && this.isDeepDue(top))
			progress.deep ??= top.goDeeper(
				this.state.learning || this.polls > POLLS_UNTIL_DEEP ? 'patient' : 'deep',
			);
		// If it got stuck, it starts over.
		if (this.hasLearnedNothing || progress.former) progress.deep ??= new Scan('patient');
		const { deep } = progress;
		if (!deep) return undefined;
		const failed = await deep.readOn(this.contextOf(deep));
		if (failed?.isFirstPage && !top) return failed;
		this.note(deep, failed);
		const isOver = deep.standing !== 'reading';
		// After a change of the query, what is known shows how recent the former list was, so it stays until all
		// is read.
		if (this.state.learning || isOver) this.learn(deep);
		if (isOver) this.enqueue(deep);
		return undefined;
	}

	private isDeepDue({ total, unfamiliarMet }: Scan<Entry>): boolean {
		const grownBy = total !== null && this.lastTotal !== null ? total - this.lastTotal : 0;
		return this.polls >= POLLS_UNTIL_DEEP || grownBy > unfamiliarMet;
	}

	private get polls(): number {
		return this.progress.pending.polls ?? this.state.polls;
	}

	private get lastTotal(): number | null {
		return this.progress.pending.total ?? this.state.total;
	}

	private contextOf(scan: Scan<Entry>): ScanContext<Entry> {
		const { poll, state, known, progress } = this;
		const isFound = (place: Place) =>
			progress.waiting.has(place) || progress.deep?.found.has(place) === true;
		return {
			readPage: poll.readPage,
			hasTime: poll.hasTime,
			lastTotal: this.lastTotal,
			room: () => poll.room() - bytesOf(progress) + scan.bytes,
			judge: (place, isBelowLearned) => {
				if (known.has(place) || isFound(place)) return 'familiar';
				const wasOnFirstPage = this.firstPage.has(hashOf(place));
				const isOld = isDated(place)
					? place <= state.floor
					: state.hasForgottenUndated && (isBelowLearned || wasOnFirstPage);
				if (!isOld) return 'unknown';
				return wasOnFirstPage ? 'familiar' : 'history';
			},
			wasLearned: (place) => !this.newsWhileLearning.has(place) && !isFound(place),
			isToLearn: (...met) => this.isToLearn(...met),
			matches: poll.matches,
			// If records are within the lookback of the list's own date, any two are within twice that.
			mostDisorder: 2 * poll.lookback,
			bottom: (found) => (state.learning ? this.bottomOfFirstLook(found) : state.floor),
		};
	}

	/**
	 * Promise 3: what is below a learned event is learned, unless Start From asks for it. Promise 11: so is
	 * what the former query left out, unless it is newer than everything known.
	 */
	private isToLearn(record: Entry, place: Place, isBelowLearned: boolean): boolean {
		const { learning } = this.state;
		const { former } = this.progress;
		if (former ? isNewer(place, former.newestKnown) : !isBelowLearned) return false;
		if (!learning) return former !== undefined && !this.poll.wasListed(record, former.query);
		return !isDated(place) || learning.newsFrom === null || place < learning.newsFrom;
	}

	/** Promise 3: a first look reads down to the start of the window, or to Start From if that is lower. */
	private bottomOfFirstLook(found: Iterable<Found<Entry>>): Place {
		const all = [...found];
		const learned = [
			...[...this.known].filter((place) => !this.newsWhileLearning.has(place)),
			...all.filter(({ isToLearn }) => isToLearn).map(({ place }) => place),
		];
		// What has come since then does not move the window, or events in between could be missed.
		const places = learned.length > 0 ? learned : [...this.known, ...all.map(({ place }) => place)];
		const start = windowStart(places, this.poll.now, this.poll.lookback);
		const newsFrom = this.state.learning?.newsFrom ?? start;
		return newsFrom < start ? newsFrom : start;
	}

	/** What is to be learned becomes known right away, so that any process can go on from there. */
	private learn(scan: Scan<Entry>): void {
		for (const { place, isToLearn } of scan.found.values()) {
			if (!isToLearn) continue;
			this.known.add(place);
			scan.remove(place);
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

	/** While memory is full of waiting events, they are emitted before more is read. */
	private hasRoom(): boolean {
		const { waiting } = this.progress;
		return waiting.size === 0 || this.poll.room() > bytesOf(this.progress);
	}

	/**
	 * What these scans will change in the state once nothing waits. A top scan alone adds to the count of
	 * polls, and a finished deep scan resets it. An unreadable page, or too little room, leaves the state
	 * unproven.
	 */
	private nextPending(): Partial<FeedState> {
		const { state, poll, known, progress } = this;
		const { top, deep, pending } = progress;
		const first = top ?? deep;
		if (!first || top?.standing === 'reading') return pending;
		const scans = [top, deep].filter((scan) => scan !== undefined);
		const isWhole = scans.every((scan) => scan.standing !== 'stuck' && !scan.hasDropped);
		if (!isWhole) return { ...pending, ...UNPROVEN };

		const { polls } = this;
		const firstPage = first.firstPage.slice(0, LONGEST_PAGE);
		// Only a deep scan proves a total: if the last one is not proven, none is kept.
		const total = this.lastTotal === null ? null : first.total;
		const read = { ...pending, total, at: poll.now, firstPage };
		if (deep?.standing === 'reading') return { ...read, polls: Math.max(polls, POLLS_UNTIL_DEEP) };
		// If time runs out before every deep scan, the count stays put: any higher would mean unproven.
		const isDue = polls >= POLLS_UNTIL_DEEP;
		if (!deep && !top?.hasReachedBottom) return { ...read, polls: isDue ? polls : polls + 1 };
		// A total that grew for no visible reason is not believed before the next deep scan.
		const isBaseless = !isDue && deep?.unknownMet === 0;
		return {
			...read,
			total: isBaseless ? null : first.total,
			polls: 0,
			floor: state.nextFloor > state.floor ? state.nextFloor : state.floor,
			nextFloor: windowStart([...known, ...progress.waiting.keys()], poll.now, poll.lookback),
		};
	}

	/** A first look, or a look at a new query's list, is over once the list is read, even if events still wait. */
	private endOfLook(): Partial<FeedState> {
		const { state, progress, poll } = this;
		const { top, deep, former } = progress;
		const isRead = deep ? deep.standing === 'over' : top?.hasReachedBottom === true;
		if (!isRead || !(state.learning || former)) return {};
		const bottom = state.learning ? this.bottomOfFirstLook(progress.waiting.values()) : state.floor;
		// If room ran short in the meantime, the floor has risen, and stays up.
		const floor = bottom > state.floor ? bottom : state.floor;
		return { learning: undefined, query: poll.query, floor };
	}

	/**
	 * Promises 2 and 6. Of the events found, only those older than everything that waits become known. So a
	 * process that ends here loses nothing: the next one finds the waiting events again.
	 */
	private emit(): Outcome<Entry> {
		const { poll, known, progress } = this;
		// Both read the scans and the waiting events, so they come before any of these change.
		const endOfLook = this.endOfLook();
		progress.pending = this.nextPending();
		if (progress.top?.standing !== 'reading') progress.top = undefined;
		if (progress.deep?.standing === 'over') progress.former = undefined;
		if (progress.deep?.standing !== 'reading') progress.deep = undefined;

		const events: Entry[] = [];
		const emitted: Place[] = [];
		const nowKnown: Place[] = [];
		for (const { place, record } of [...progress.waiting.values()].sort(byPlace)) {
			if (record && events.length === poll.maxItems) break;
			if (record) emitted.push(place);
			if (record) events.push(record);
			nowKnown.push(place);
			known.add(place);
			progress.waiting.delete(place);
		}
		const { state, forgotten } = this.write(emitted, nowKnown, endOfLook);
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

	/** Waiting events must look new to any process that goes on from the state. */
	private firstPageWithoutWaiting(): string[] {
		const { waiting, pending } = this.progress;
		const hashes = new Set([...(pending.firstPage ?? []), ...this.firstPage]);
		for (const place of waiting.keys()) hashes.delete(hashOf(place));
		return [...hashes].slice(0, LONGEST_PAGE);
	}

	private write(
		emitted: Place[],
		nowKnown: Place[],
		endOfLook: Partial<FeedState>,
	): { state: FeedState; forgotten: Forgotten } {
		const { poll, progress, known } = this;
		// An unfinished deep scan holds nothing back: the state still says that one is due.
		const isUnfinished = progress.waiting.size > 0 || progress.top !== undefined;
		const changes = isUnfinished
			? { ...UNPROVEN, firstPage: this.firstPageWithoutWaiting() }
			: progress.pending;
		const { learning } = this.state;
		const state = {
			...this.state,
			...(learning && { learning: { ...learning, news: withLatest(learning.news, nowKnown) } }),
			...changes,
			...endOfLook,
		};
		if (!isUnfinished) progress.pending = {};
		const emissions = this.openEmissions.slice();
		if (poll.newEmission && emitted.length > 0)
			emissions.push({ ...poll.newEmission(), places: writePlaces(emitted) });
		const floor = belowEmissions(state.floor, emissions);
		// What a first look did not read down to must stay below the floor, whatever it emitted.
		const lowest = endOfLook.floor ?? this.state.floor;
		return remember(
			{ ...state, floor: floor > lowest ? floor : lowest },
			known,
			emissions,
			poll.capacity,
		);
	}
}

/** Older ones may count as learned: what comes next is usually above them. */
const withLatest = (text: string, news: Place[]): string =>
	writePlaces([...readPlaces(text), ...news].slice(-MOST_NEWS_WHILE_LEARNING));

/** If moments are whole days, there is no telling which event of a day came first. */
const isNewer = (place: Place, other: Place): boolean =>
	isDated(place) && place > other && !isSameMoment(place, other);

const byPlace = (a: { place: Place }, b: { place: Place }): number => (a.place < b.place ? -1 : 1);
