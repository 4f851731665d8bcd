import { daysAfter, daysBetween, yearStart } from './days.mts';
import { holderHash, isSameHolder } from './holder.mts';
import { isPendingTransfer, TEMPORARY_NEW, TEMPORARY_TRANSFER } from './licenseCodes.mts';
import { NO_EVENTS, type Facts, type Kept } from './licenseFromRow.mts';
import { count, isWithin, type Content } from './licensesInFile.mts';
import { isReady, type Dates, type Snapshot } from './memory.mts';
import { aboveAll } from './numbers.mts';
import { APPROVALS, listsLicenses, TRANSFERS } from './sources.mts';

/** A file that is taken in. */
export interface TakenFile extends Content {
	/** The source was not known before: nothing has happened to what it lists. */
	isFirst: boolean;
	/** Its endings and changes of holder are not taken. */
	isHeld: boolean;
}

type Lists = ReadonlyMap<string, TakenFile>;
type Licenses = Map<string, Kept>;
type Hashes = Record<string, string>;

/** How long a first date of a license is fresh, and a new filing no transfer. */
const FRESH_DAYS = 60;
/** How long dates count that are no longer in their file: both files start over on 1 July. */
const DATED_DAYS = 120;
/** An expiration so many days later is another term. */
const TERM_DAYS = 300;
/** An owner change of two files, so many days apart, is one. */
const SAME_TRANSFER_DAYS = 180;
/** How long a cancellation is listed. */
const LISTED_DAYS = 30;
/** Numbers are given out a little out of order: so far below the highest, one may still be new (filingKind.ts: 50). */
const OUT_OF_ORDER = 100;

type Happened = Pick<Kept, 'event' | 'at' | 'kind' | 'holderSince'>;

/** What new files make of what was remembered, and how many rows were left out. */
export function takeIn(before: Snapshot, files: readonly TakenFile[]) {
	const lists = new Map<string, TakenFile>();
	const dates = { ...before.dates };
	const leftOut: Record<string, number> = {};
	for (const file of files) {
		for (const [reason, rows] of Object.entries(file.leftOut)) count(leftOut, reason, rows);
		if (listsLicenses(file.source)) lists.set(file.source, file);
		else dates[file.source] = datesAfter(dates[file.source], file);
	}
	const licenses = new Map(before.licenses);
	const arrive = arrivalsAfter(before, lists, dates);
	for (const file of lists.values())
		for (const [number, facts] of file.licenses) {
			const kept = licenses.get(number);
			const isThere = kept !== undefined && kept.ended === null;
			licenses.set(number, isThere ? changed(kept, facts, file) : arrive(facts, file, kept));
		}
	const ended = { ...before.ended };
	const [day = ''] = files
		.map((file) => file.day)
		.sort()
		.reverse();
	takeAbsences(licenses, ended, lists, day);
	takeApprovals(licenses, dates[APPROVALS] ?? {});
	takeTransfers(licenses, dates[TRANSFERS] ?? {}, before, day);
	return { licenses, dates, ended, leftOut };
}

function datesAfter(before: Dates = {}, { day, dated }: TakenFile): Dates {
	const isRecent = ([, { date }]: [string, Dates[string]]) => daysBetween(date, day) <= DATED_DAYS;
	return Object.fromEntries([...Object.entries(before).filter(isRecent), ...dated]);
}

/** What becomes of a number that was not there, or had ended. */
function arrivalsAfter(before: Snapshot, lists: Lists, dates: Snapshot['dates']) {
	const isFirstRun = !isReady(before);
	const { [APPROVALS]: approvals = {}, [TRANSFERS]: transfers = {} } = dates;
	/** When it came: null in a baseline, except for what the first files date by themselves. */
	const cameOn = ({ number, filed, status }: Facts, { isFirst, day }: TakenFile): string | null => {
		if (!isFirst) return day;
		const own = filed ?? approvals[number]?.date ?? '';
		const earliest = filed === null ? yearStart(day) : daysAfter(day, -FRESH_DAYS);
		const isDated = own >= earliest && own <= day && !/cancelled|unknown/.test(status);
		return isFirstRun && isDated ? own : null;
	};
	const known = [...before.licenses.keys(), ...Object.keys(before.ended)];
	for (const file of lists.values())
		for (const facts of file.isFirst ? file.licenses.values() : [])
			if (cameOn(facts, file) === null) known.push(facts.number);
	const above = aboveAll(known);

	return (facts: Facts, file: TakenFile, former: Kept | undefined): Kept => {
		const { number, codes, filed, holder, expires } = facts;
		const happened: Happened = { event: null, at: null, kind: null, holderSince: null };
		const state = { latestExpiry: expires, goneIn: null, ended: null };
		// Spread twice: as one literal, V8 gives each license three times the memory.
		const kept: Kept = { ...{ ...facts, source: file.source, ...happened }, ...state };
		const day = cameOn(facts, file);
		if (day === null) return kept;
		const formerHash = former ? holderHash(former.holder) : before.ended[number];
		const isKnown = formerHash !== undefined;
		const isOther = isKnown && holder !== '' && formerHash !== holderHash(holder);
		const isRecent = (dated: Dates[string] | undefined): boolean =>
			dated !== undefined && dated.date <= day && daysBetween(dated.date, day) <= DATED_DAYS;
		const height = isKnown ? Number.NEGATIVE_INFINITY : above(number);
		const isNew = height > -OUT_OF_ORDER;
		const isFiling = isNew || isRecent(approvals[number]) || codes === TEMPORARY_NEW;
		const isFresh = filed !== null && filed >= daysAfter(day, -FRESH_DAYS) && filed <= day;
		const isTransfer =
			codes === TEMPORARY_TRANSFER ||
			(!isNew && (isOther || isRecent(transfers[number]))) ||
			// The first date of a liquor license is that of its holder.
			(!isFiling && !isKnown && isFresh);
		if (isTransfer) return { ...kept, ...transferOn(day) };
		if (!isFiling) return { ...kept, event: 'status_change', at: day };
		// In a first file, an old number in new hands has a fresh date, too.
		const isInDoubt = file.isFirst && filed !== null && codes !== TEMPORARY_NEW;
		const kind = height > (isInDoubt ? 0 : -OUT_OF_ORDER) ? 'newLicense' : null;
		return { ...kept, event: 'new_filing', at: day, kind };
	};
}

/**
 * A license that its file lacks has ended when a second file, another one, lacks it. Of what has ended long ago, a hash
 * of the holder stays.
 */
function takeAbsences(licenses: Licenses, ended: Hashes, lists: Lists, day: string): void {
	for (const [number, kept] of licenses) {
		const file = lists.get(kept.source);
		if (kept.ended !== null) {
			if (daysBetween(kept.ended, day) <= LISTED_DAYS) continue;
			licenses.delete(number);
			ended[number] = holderHash(kept.holder);
		} else if (file && !file.licenses.has(number)) {
			const end = { event: 'cancellation', at: file.day, kind: null, ended: file.day } as const;
			if (kept.goneIn === null) licenses.set(number, { ...kept, goneIn: file.hash });
			else if (kept.goneIn !== file.hash && !file.isHeld)
				licenses.set(number, { ...kept, ...end, status: 'cancelled' });
		}
	}
}

/** Food has no date of its own: it is the day of approval, as soon as the state's file says it. */
function takeApprovals(licenses: Licenses, named: Dates): void {
	for (const [number, { date }] of Object.entries(named)) {
		const kept = licenses.get(number);
		if (kept?.filed === null && kept.ended === null && date >= (kept.holderSince ?? ''))
			licenses.set(number, { ...kept, filed: date });
	}
}

/** Owner changes that are named for the first time, where the register shows the new holder, and no change. */
function takeTransfers(licenses: Licenses, named: Dates, before: Snapshot, day: string): void {
	const { [TRANSFERS]: known } = before.dates;
	const isFirstRun = !isReady(before);
	for (const [number, { date, holder }] of Object.entries(named)) {
		const isNews = isFirstRun
			? date >= yearStart(day) && date <= day
			: known !== undefined && known[number]?.date !== date;
		const kept = licenses.get(number);
		if (!isNews || !kept || kept.ended !== null || !isSameHolder(kept.holder, holder)) continue;
		const isNewcomer = kept.event === 'new_filing' && daysBetween(kept.at!, date) <= FRESH_DAYS;
		if (isNewcomer || isSameTransfer(kept, date)) continue;
		licenses.set(number, { ...kept, ...transferOn(isFirstRun ? date : day), filed: null });
	}
}

/** How often each event has happened, and what has begun that is none yet. */
export function countsOf(before: Snapshot, licenses: ReadonlyMap<string, Kept>) {
	const events = { ...NO_EVENTS };
	const pending = { transfers: 0, gone: 0 };
	for (const now of licenses.values()) {
		const old = before.licenses.get(now.number);
		if (now === old) continue;
		if (now.event !== null && (now.event !== old?.event || now.at !== old.at)) events[now.event]++;
		if (old?.goneIn === null && now.goneIn !== null) pending.gone++;
		const isPending = isPendingTransfer(now.codes) && !(old && isPendingTransfer(old.codes));
		if (isPending && before.sources[now.source]) pending.transfers++;
	}
	return { events, pending };
}

const transferOn = (day: string): Happened => ({
	...{ event: 'ownership_transfer', at: day },
	...{ kind: 'newHolder', holderSince: day },
});

/** A number that was there: what its row says now, and what that means. */
function changed(kept: Kept, facts: Facts, { source, day, isHeld }: TakenFile): Kept {
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
	const isSame = status === kept.status || isBecomingPermanent(kept, facts);
	if (isSame) return isWithin(now, kept) ? kept : now;
	return { ...now, event: 'status_change', at: day, kind: null };
}

export const hasOtherHolder = (kept: Kept, { holder }: Facts): boolean =>
	holder !== '' && kept.holder !== '' && !isSameHolder(kept.holder, holder);

/** A temporary license, or an application, that has become a lasting one. */
const isBecomingPermanent = (kept: Kept, facts: Facts): boolean =>
	/^(approved|pending)$/.test(kept.status) && /^(approved|pending|active)$/.test(facts.status);

/** Tells whether the change of holder of a date is the one that is known already. */
const isSameTransfer = ({ holderSince }: Kept, date: string): boolean =>
	holderSince !== null && Math.abs(daysBetween(holderSince, date)) <= SAME_TRANSFER_DAYS;
