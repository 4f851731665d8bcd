import { daysAfter, yearStart } from './calendar.mts';
import { TEMPORARY_NEW, TEMPORARY_TRANSFER, UNKNOWN } from './codes.mts';
import { happenedOn, isFresh } from './compare.mts';
import { isSameHolder } from './holder.mts';
import type { Kept } from './license.mts';
import type { Dated } from './memory.mts';
import { GivenNumbers } from './numbers.mts';

// What the first files date by themselves, so that a first month is not empty: with their own dates.

/** Liquor of the last sixty days. */
export function* liquorOfFirstRun(all: Iterable<Kept>, day: string): Generator<Kept> {
	const licenses = [...all];
	const before = licenses.filter(({ filed }) => filed === null || filed < daysAfter(day, -60));
	const numbers = new GivenNumbers(before.map(({ number }) => number));
	for (const kept of licenses) {
		const { number, codes, filed, status } = kept;
		if (!isFresh(kept, day) || status === 'cancelled' || status === UNKNOWN) continue;
		const isNearTop = numbers.isNew(number);
		const isNew = codes === TEMPORARY_NEW ? isNearTop : numbers.isSurelyNew(number);
		if (codes === TEMPORARY_TRANSFER || (!isNearTop && codes !== TEMPORARY_NEW))
			yield { ...kept, ...happenedOn(filed!, 'ownership_transfer') };
		else yield { ...kept, ...happenedOn(filed!, 'new_filing', isNew) };
	}
}

/** Food that the two dated files name, since 1 July. */
export function* foodOfFirstRun(
	kept: ReadonlyMap<string, Kept>,
	approvals: Iterable<Dated>,
	transfers: Iterable<Dated>,
	day: string,
): Generator<Kept> {
	const isThisYear = ({ date }: Dated): boolean => date >= yearStart(day) && date <= day;
	const found = new Map<string, Kept>();
	const named = [...approvals].filter(isThisYear);
	const news = new Set(named.map(({ number }) => number));
	// A number that was given out long ago may be named, too: for a place that opens again.
	const numbers = new GivenNumbers([...kept.keys()].filter((number) => !news.has(number)));
	for (const { number, date } of named) {
		const license = kept.get(number);
		const happened = happenedOn(date, 'new_filing', numbers.isNew(number));
		if (license) found.set(number, { ...license, ...happened, filed: date });
	}
	for (const transfer of transfers) {
		const license = found.get(transfer.number) ?? kept.get(transfer.number);
		if (!license || !isThisYear(transfer) || transfer.date < (license.at ?? '')) continue;
		if (isSameHolder(license.holder, transfer.holder))
			found.set(license.number, {
				...license,
				...happenedOn(transfer.date, 'ownership_transfer'),
				filed: null,
			});
	}
	yield* found.values();
}
