import { daysAfter, daysBetween } from './calendar.mts';
import { TEMPORARY_NEW, TEMPORARY_TRANSFER } from './codes.mts';
import { holderHash, isSameHolder } from './holder.mts';
import type { Ended, EventType, Facts, Kept } from './license.mts';
import type { Dated } from './memory.mts';
import type { GivenNumbers } from './numbers.mts';

/** By number: what `newfood` and `chgownr_food` say. */
export interface DatedFiles {
	approvals: ReadonlyMap<string, Dated>;
	transfers: ReadonlyMap<string, Dated>;
}

/** What a row is compared with, besides its own license. */
export interface Beside extends DatedFiles {
	source: string;
	/** Of the file. */
	day: string;
	numbers: GivenNumbers;
}

/** So long is a date of the state's file about what has happened now, and a first date of a license fresh. */
const FRESH_DAYS = 60;
const DATED_DAYS = 120;
/** An expiration so many days later is another term. */
const TERM_DAYS = 300;

type Happened = Pick<Kept, 'event' | 'at' | 'kind' | 'holderSince'>;

const nothing: Happened = { event: null, at: null, kind: null, holderSince: null };

/** A license of a first file: nothing is known to have happened to it. */
export const baseline = (facts: Facts, source: string): Kept => remembered(facts, source, nothing);

const remembered = (facts: Facts, source: string, happened: Happened): Kept => ({
	...{ ...facts, source, ...happened },
	...{ latestExpiry: facts.expires, goneIn: null, ended: null },
});

/** A number that was not there. `before` is what is remembered of it, if it had been there and ended. */
export function arrival(facts: Facts, before: Kept | Ended | undefined, beside: Beside): Kept {
	const { numbers, source } = beside;
	const isNew = !before && numbers.isNew(facts.number);
	const event = isNew ? 'new_filing' : eventOfOldNumber(facts, before, beside);
	const kept = remembered(facts, source, happenedOn(beside.day, event, isNew));
	return event === 'new_filing' ? withApproval(kept, beside) : kept;
}

function eventOfOldNumber(
	facts: Facts,
	before: Kept | Ended | undefined,
	beside: Beside,
): EventType {
	const { day, approvals, transfers } = beside;
	const isRecent = (dated: Dated | undefined): boolean =>
		dated !== undefined && daysBetween(dated.date, day) <= DATED_DAYS;
	if (isRecent(transfers.get(facts.number))) return 'ownership_transfer';
	if (before && isOtherHolder(before, facts)) return 'ownership_transfer';
	if (facts.codes === TEMPORARY_TRANSFER) return 'ownership_transfer';
	if (isRecent(approvals.get(facts.number)) || facts.codes === TEMPORARY_NEW) return 'new_filing';
	// The first date of a liquor license is that of its holder.
	if (!before && isFresh(facts, day)) return 'ownership_transfer';
	return 'status_change';
}

function isOtherHolder(before: Kept | Ended, facts: Facts): boolean {
	if (!('holderHash' in before)) return hasOtherHolder(before, facts);
	return facts.holder !== '' && before.holderHash !== holderHash(facts.holder);
}

export const isFresh = ({ filed }: Facts, day: string): boolean =>
	filed !== null && filed >= daysAfter(day, -FRESH_DAYS) && filed <= day;

export const happenedOn = (day: string, event: EventType, isNewNumber = false): Happened => ({
	...{ event, at: day },
	kind: event === 'ownership_transfer' ? 'newHolder' : isNewNumber ? 'newLicense' : null,
	holderSince: event === 'ownership_transfer' ? day : null,
});

/** A number that was there: what its row says now, and what that means. */
export function change(kept: Kept, facts: Facts, { source, day }: Beside): Kept {
	const event = eventBetween(kept, facts, day);
	const now = withoutEvent(kept, facts, source);
	if (event === undefined) return now;
	const happened = happenedOn(day, event);
	if (event !== 'ownership_transfer') return { ...now, ...happened, holderSince: kept.holderSince };
	return { ...now, ...happened, holder: facts.holder, filed: facts.filed };
}

/** What its row says now, but for the spelling of its holder: a rewording must not look like another one. */
export function withoutEvent(kept: Kept, facts: Facts, source: string): Kept {
	const { holder, filed, latestExpiry } = kept;
	const { expires } = facts;
	const isLater = expires !== null && (latestExpiry === null || expires > latestExpiry);
	return {
		...{ ...kept, ...facts, source, goneIn: null },
		...{ holder: holder || facts.holder, filed: facts.filed ?? filed },
		latestExpiry: isLater ? expires : latestExpiry,
	};
}

export const hasOtherHolder = (kept: Kept, { holder }: Facts): boolean =>
	holder !== '' && kept.holder !== '' && !isSameHolder(kept.holder, holder);

function eventBetween(kept: Kept, facts: Facts, day: string): EventType | undefined {
	if (hasOtherHolder(kept, facts)) return 'ownership_transfer';
	const beginsTransfer = facts.codes === TEMPORARY_TRANSFER && kept.codes !== TEMPORARY_TRANSFER;
	if (beginsTransfer && !isSameTransfer(kept, day)) return 'ownership_transfer';
	const { latestExpiry } = kept;
	if (facts.expires !== null && latestExpiry !== null)
		if (daysBetween(latestExpiry, facts.expires) > TERM_DAYS) return 'renewal';
	if (facts.status === kept.status || isBecomingPermanent(kept, facts)) return undefined;
	return 'status_change';
}

/** A temporary license, or an application, that has become a lasting one. */
const isBecomingPermanent = (kept: Kept, facts: Facts): boolean =>
	/^(approved|pending)$/.test(kept.status) && /^(approved|pending|active)$/.test(facts.status);

/** Whether the change of holder of a date is the one that is known already. */
const isSameTransfer = ({ holderSince }: Kept, date: string): boolean =>
	holderSince !== null && Math.abs(daysBetween(holderSince, date)) <= 180;

/** Food has no date of its own: it is the day of approval, as soon as the state's file says it. */
export function withApproval(kept: Kept, { approvals }: Pick<DatedFiles, 'approvals'>): Kept {
	const approval = approvals.get(kept.number);
	if (!approval || kept.filed !== null || kept.ended !== null) return kept;
	if (kept.holderSince !== null && approval.date < kept.holderSince) return kept;
	return { ...kept, filed: approval.date };
}

/** What the file of owner changes says, once the license shows the new holder. Null while it does not. */
export function withTransfer(kept: Kept, transfer: Dated, day: string): Kept | null {
	if (!isSameHolder(kept.holder, transfer.holder)) return null;
	const isNewcomer = kept.event === 'new_filing' && daysBetween(kept.at!, day) <= FRESH_DAYS;
	if (kept.ended !== null || isNewcomer || isSameTransfer(kept, transfer.date)) return kept;
	return { ...kept, ...happenedOn(day, 'ownership_transfer'), filed: null };
}

/** A license that its file lacks. It has ended when a second file, another one, lacks it. */
export function absence(kept: Kept, hash: string, day: string): Kept {
	if (kept.ended !== null || kept.goneIn === hash) return kept;
	if (kept.goneIn === null) return { ...kept, goneIn: hash };
	return { ...kept, status: 'cancelled', ended: day, ...happenedOn(day, 'cancellation') };
}

/** So long is a cancellation listed. */
const LISTED_DAYS = 30;

export function endedLongAgo(kept: Kept, day: string): Ended | undefined {
	const { number, source, ended, holder } = kept;
	if (ended === null || daysBetween(ended, day) <= LISTED_DAYS) return undefined;
	return { number, source, ended, holderHash: holderHash(holder) };
}
