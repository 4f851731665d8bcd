import { daysAfter, daysBetween, yearStart } from './calendar.mts';
import { isPendingTransfer, TEMPORARY_NEW, TEMPORARY_TRANSFER } from './codes.mts';
import { count, isWithin, type Content } from './content.mts';
import { holderHash, isSameHolder } from './holder.mts';
import type { EventType, Facts, Kept } from './license.mts';
import { isReady, listsLicenses, type Dates, type Snapshot } from './memory.mts';
import { aboveAll } from './numbers.mts';
import { APPROVALS, TRANSFERS } from './sources.mts';

/** A file that is taken in. */
export interface TakenFile {
	source: string;
	day: string;
	content: Content;
	/** The source was not known before: nothing has happened to what it lists. */
	isFirst: boolean;
	/** Its endings and changes of holder are not taken. */
	isHeld: boolean;
}

/** So long is a first date of a license fresh, and a new filing no transfer. */
const FRESH_DAYS = 60;
/** So long do dates count that are in their file no more: both files start over on 1 July. */
const DATED_DAYS = 120;
/** An expiration so many days later is another term. */
const TERM_DAYS = 300;
/** An owner change of two files, so many days apart, is one. */
const SAME_TRANSFER_DAYS = 180;
/** So long is a cancellation listed. */
const LISTED_DAYS = 30;
/** Numbers are given out a little out of order: so far below the highest, one may still be new. */
const OUT_OF_ORDER = 100;

type Happened = Pick<Kept, 'event' | 'at' | 'kind' | 'holderSince'>;

const NOTHING: Happened = { event: null, at: null, kind: null, holderSince: null };

/** What new files make of what was remembered. */
export class Comparison {
	readonly licenses: Map<string, Kept>;
	readonly ended: Record<string, string>;
	readonly dates: Record<string, Dates>;
	readonly leftOut: Record<string, number> = {};
	private readonly isFirstRun: boolean;
	private readonly lists: ReadonlyMap<string, TakenFile>;
	private readonly above: (number: string) => number;

	constructor(
		private readonly before: Snapshot,
		files: readonly TakenFile[],
	) {
		this.isFirstRun = !isReady(before);
		this.licenses = new Map(before.licenses);
		this.ended = { ...before.ended };
		this.dates = { ...before.dates };
		const lists = files.filter(({ source }) => listsLicenses(source));
		this.lists = new Map(lists.map((file) => [file.source, file]));
		for (const file of files) if (!lists.includes(file)) this.takeDates(file);
		this.above = aboveAll(this.knownNumbers());
		for (const file of lists)
			for (const facts of file.content.licenses.values()) this.takeRow(facts, file);
		for (const { content } of files)
			for (const [reason, rows] of Object.entries(content.leftOut))
				count(this.leftOut, reason, rows);
		this.takeAbsences();
		this.takeApprovals();
		const day = files
			.map((file) => file.day)
			.sort()
			.at(-1);
		if (day === undefined) return;
		const isJoining = files.some(({ source, isFirst }) => source === TRANSFERS && isFirst);
		if (this.isFirstRun || !isJoining) this.takeTransfers(day);
		this.dropEnded(day);
	}

	/** How often each event has happened, and what has begun that is none yet. */
	counts() {
		const events = {
			...{ new_filing: 0, ownership_transfer: 0, renewal: 0, status_change: 0, cancellation: 0 },
		};
		const pending = { transfers: 0, gone: 0 };
		for (const now of this.licenses.values()) {
			const old = this.before.licenses.get(now.number);
			if (now === old) continue;
			if (now.event !== null && hasHappened(now, old)) events[now.event]++;
			if (old?.goneIn === null && now.goneIn !== null) pending.gone++;
			const isKnown = this.before.sources[now.source] !== undefined;
			if (isKnown && isPendingTransfer(now.codes) && !(old && isPendingTransfer(old.codes)))
				pending.transfers++;
		}
		return { events, pending };
	}

	private takeDates({ source, day, content }: TakenFile): void {
		const entries = Object.entries(this.dates[source] ?? {});
		const recent = entries.filter(([, { date }]) => daysBetween(date, day) <= DATED_DAYS);
		this.dates[source] = Object.fromEntries([...recent, ...content.dated]);
	}

	/** Those among which a new number is looked for. */
	private *knownNumbers(): Generator<string> {
		yield* this.before.licenses.keys();
		yield* Object.keys(this.before.ended);
		for (const file of this.lists.values())
			for (const facts of file.isFirst ? file.content.licenses.values() : [])
				if (this.dayOfArrival(facts, file) === null) yield facts.number;
	}

	/** When a number came that was not there: null in a baseline, except for what the first files date by themselves. */
	private dayOfArrival(facts: Facts, { isFirst, day }: TakenFile): string | null {
		if (!isFirst) return day;
		if (!this.isFirstRun) return null;
		if (facts.filed !== null)
			return isFresh(facts, day) && !/cancelled|unknown/.test(facts.status) ? facts.filed : null;
		const date = this.dates[APPROVALS]?.[facts.number]?.date ?? '';
		return date >= yearStart(day) && date <= day ? date : null;
	}

	private takeRow(facts: Facts, file: TakenFile): void {
		const { number } = facts;
		const kept = this.licenses.get(number);
		if (kept && kept.source !== file.source && !this.hasLeft(kept))
			return count(this.leftOut, 'in two files');
		const isThere = kept !== undefined && kept.ended === null;
		const now = isThere ? change(kept, facts, file) : this.arrival(facts, file, kept);
		if (!kept || !isWithin(now, kept)) this.licenses.set(number, now);
		delete this.ended[number];
	}

	/** Whether its own file does not list it any more. */
	private hasLeft({ source, number, goneIn, ended }: Kept): boolean {
		const own = this.lists.get(source);
		return own ? !own.content.licenses.has(number) : goneIn !== null || ended !== null;
	}

	/** A number that was not there, or had ended. */
	private arrival(facts: Facts, file: TakenFile, former: Kept | undefined): Kept {
		const { number, codes, filed } = facts;
		const state = { latestExpiry: facts.expires, goneIn: null, ended: null };
		const kept = { ...facts, source: file.source, ...NOTHING, ...state };
		const day = this.dayOfArrival(facts, file);
		if (day === null) return kept;
		const isKnown = former !== undefined || this.ended[number] !== undefined;
		const above = isKnown ? Number.NEGATIVE_INFINITY : this.above(number);
		const event = this.eventOfArrival(facts, above > -OUT_OF_ORDER, former, day);
		if (event === 'ownership_transfer') return { ...kept, ...transferOn(day) };
		// In a first file, an old number in new hands has a fresh date, too.
		const isInDoubt = file.isFirst && filed !== null && codes !== TEMPORARY_NEW;
		const isNew = event === 'new_filing' && above > (isInDoubt ? 0 : -OUT_OF_ORDER);
		return { ...kept, event, at: day, kind: isNew ? 'newLicense' : null };
	}

	private eventOfArrival(
		facts: Facts,
		isNew: boolean,
		former: Kept | undefined,
		day: string,
	): EventType {
		const { number, holder, codes } = facts;
		const isNamedIn = (source: string): boolean => {
			const { date } = this.dates[source]?.[number] ?? {};
			return date !== undefined && date <= day && daysBetween(date, day) <= DATED_DAYS;
		};
		if (codes === TEMPORARY_TRANSFER) return 'ownership_transfer';
		if (isNew) return 'new_filing';
		if (isNamedIn(TRANSFERS)) return 'ownership_transfer';
		const hash = this.ended[number];
		if (former && hasOtherHolder(former, facts)) return 'ownership_transfer';
		if (hash !== undefined && holder !== '' && hash !== holderHash(holder))
			return 'ownership_transfer';
		if (isNamedIn(APPROVALS) || codes === TEMPORARY_NEW) return 'new_filing';
		// The first date of a liquor license is that of its holder.
		const isOfNewcomer = !former && hash === undefined && isFresh(facts, day);
		return isOfNewcomer ? 'ownership_transfer' : 'status_change';
	}

	/** A license that its file lacks. It has ended when a second file, another one, lacks it. */
	private takeAbsences(): void {
		for (const number of this.before.licenses.keys()) {
			const kept = this.licenses.get(number)!;
			const file = this.lists.get(kept.source);
			if (!file || file.content.licenses.has(number) || kept.ended !== null) continue;
			const { day, isHeld } = file;
			const { hash } = file.content;
			if (kept.goneIn === null) this.licenses.set(number, { ...kept, goneIn: hash });
			else if (kept.goneIn !== hash && !isHeld) {
				const end = { event: 'cancellation', at: day, kind: null, ended: day } as const;
				this.licenses.set(number, { ...kept, ...end, status: 'cancelled' });
			}
		}
	}

	/** Food has no date of its own: it is the day of approval, as soon as the state's file says it. */
	private takeApprovals(): void {
		for (const [number, { date }] of Object.entries(this.dates[APPROVALS] ?? {})) {
			const kept = this.licenses.get(number);
			if (kept?.filed !== null || kept.ended !== null) continue;
			if (date >= (kept.holderSince ?? '')) this.licenses.set(number, { ...kept, filed: date });
		}
	}

	/** Owner changes of which the register says nothing, as the names of both holders are much alike. */
	private takeTransfers(day: string): void {
		const before = this.before.dates[TRANSFERS] ?? {};
		for (const [number, { date, holder }] of Object.entries(this.dates[TRANSFERS] ?? {})) {
			const isOfThisYear = date >= yearStart(day) && date <= day;
			const isNews = this.isFirstRun ? isOfThisYear : before[number]?.date !== date;
			const kept = isNews ? this.licenses.get(number) : undefined;
			if (!kept || kept.ended !== null || !isSameHolder(kept.holder, holder)) continue;
			const isNewcomer = kept.event === 'new_filing' && daysBetween(kept.at!, date) <= FRESH_DAYS;
			if (isNewcomer || isSameTransfer(kept, date)) continue;
			const transfer = transferOn(this.isFirstRun ? date : day);
			this.licenses.set(number, { ...kept, ...transfer, filed: null });
		}
	}

	private dropEnded(day: string): void {
		for (const { number, ended, holder } of this.licenses.values()) {
			if (ended === null || daysBetween(ended, day) <= LISTED_DAYS) continue;
			this.licenses.delete(number);
			this.ended[number] = holderHash(holder);
		}
	}
}

const isFresh = ({ filed }: Facts, day: string): boolean =>
	filed !== null && filed >= daysAfter(day, -FRESH_DAYS) && filed <= day;

const transferOn = (day: string): Happened => ({
	...{ event: 'ownership_transfer', at: day },
	...{ kind: 'newHolder', holderSince: day },
});

/** A number that was there: what its row says now, and what that means. */
function change(kept: Kept, facts: Facts, { source, day, isHeld }: TakenFile): Kept {
	const isOther = hasOtherHolder(kept, facts);
	if (isOther && isHeld) return { ...kept, goneIn: null };
	const { codes, expires, status } = facts;
	const { latestExpiry } = kept;
	const now = {
		...{ ...kept, ...facts, source, goneIn: null },
		// A rewording must not look like another holder.
		...{ holder: kept.holder || facts.holder, filed: facts.filed ?? kept.filed },
		latestExpiry: (expires ?? '') > (latestExpiry ?? '') ? expires : latestExpiry,
	};
	const begins = codes === TEMPORARY_TRANSFER && kept.codes !== TEMPORARY_TRANSFER;
	if (isOther || (begins && !isSameTransfer(kept, day)))
		return { ...now, ...transferOn(day), holder: facts.holder, filed: facts.filed };
	const isRenewed =
		expires !== null && latestExpiry !== null && daysBetween(latestExpiry, expires) > TERM_DAYS;
	if (isRenewed) return { ...now, event: 'renewal', at: day, kind: null };
	if (status === kept.status || isBecomingPermanent(kept, facts)) return now;
	return { ...now, event: 'status_change', at: day, kind: null };
}

export const hasOtherHolder = (kept: Kept, { holder }: Facts): boolean =>
	holder !== '' && kept.holder !== '' && !isSameHolder(kept.holder, holder);

/** A temporary license, or an application, that has become a lasting one. */
const isBecomingPermanent = (kept: Kept, facts: Facts): boolean =>
	/^(approved|pending)$/.test(kept.status) && /^(approved|pending|active)$/.test(facts.status);

/** Whether the change of holder of a date is the one that is known already. */
const isSameTransfer = ({ holderSince }: Kept, date: string): boolean =>
	holderSince !== null && Math.abs(daysBetween(holderSince, date)) <= SAME_TRANSFER_DAYS;

const hasHappened = (now: Kept, old: Kept | undefined): boolean =>
	now.event !== old?.event ||
	now.at !== old.at ||
	(now.event === 'ownership_transfer' && now.holder !== old.holder);
