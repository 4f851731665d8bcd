import type { LicensePage } from '../domain/licenseList';
import { eventKey, licenseName } from '../domain/event';
import type { License } from '../domain/license';
import { momentOf } from '../domain/moment';
import type { OpenList } from './openList';
import { openList, pagesOf, totalOf } from './openList';
import type { ListReading } from './readList';

/** A license and the moment of its event. Those without one come last. */
export interface DatedLicense {
	license: License;
	time: number;
}

const UNDATED = -1;

const TOO_SHORT = 'it does not hold as many records as it announces';

export const dated = (license: License): DatedLicense => ({
	license,
	time: momentOf(license.eventTimestamp) ?? UNDATED,
});

/** A list, and the lists that it is read as. */
export interface DividedList {
	whole: OpenList;
	parts: Part[];
	/** Why the parts cannot be trusted. */
	problem?: string;
}

export function toDividedList(
	whole: OpenList,
	lists: OpenList[] | undefined,
	reading: ListReading,
): DividedList {
	const divided: DividedList = { whole, parts: [] };
	divided.problem = lists ? undefined : 'no filter splits it into parts that add up';
	divided.parts = (lists ?? []).map((list) => new Part(list, divided, reading));
	return divided;
}

/** One of the lists that are read at the same time, as far as it has been read. */
class Part {
	wanted: DatedLicense[] = [];
	count = 0;
	/** The moment down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	isFinished = false;
	/** Whether reading stopped at a point below which nothing is wanted. */
	isCut = false;
	private latestTotal: number;
	private readonly isEnd: (page: License[]) => boolean;

	constructor(
		private readonly list: OpenList,
		private readonly of: DividedList,
		private readonly reading: ListReading,
	) {
		this.latestTotal = totalOf(list);
		this.isEnd = reading.watchForEnd();
		this.take(list.first);
		// Later, what is missing may have moved to the top.
		if (!list.first.pagination.hasMore && this.left > 0) this.of.problem ??= TOO_SHORT;
	}

	get left(): number {
		return totalOf(this.list) - this.count;
	}

	async readOn(): Promise<void> {
		const { value } = (await this.list.rest.next()) as IteratorYieldResult<LicensePage>;
		this.take(value);
	}

	leaveOut(names: Set<string | undefined>): void {
		this.wanted = this.wanted.filter(({ license }) => !names.has(licenseName(license)));
	}

	private take({ data, pagination: { total, hasMore } }: LicensePage): void {
		for (const license of data) {
			const one = dated(license);
			if (one.time > this.depth) this.of.problem ??= 'its records are not newest first';
			const isTop = this.depth === Number.POSITIVE_INFINITY;
			if (isTop && one.time === UNDATED) this.of.problem ??= 'the record at its top has no date';
			this.depth = one.time;
			if (this.reading.matches(license)) this.wanted.push(one);
		}
		this.count += data.length;
		// A removal may hide another record from a cursor that counts records.
		if (total !== undefined && total < this.latestTotal)
			this.of.problem ??= 'records left it while it was read';
		this.latestTotal = total ?? this.latestTotal;
		this.isCut = hasMore && this.isEnd(data);
		this.isFinished = this.isCut || !hasMore || this.of.problem !== undefined;
	}
}

/** Reads all parts to the end, or down to where the limit is reached. Returns whether that took requests. */
export async function readParts(
	lists: DividedList[],
	{ readers, limit }: ListReading,
	endsEarly: boolean,
): Promise<boolean> {
	const parts = lists.flatMap((list) => list.parts);
	const waiting = new Set(parts.filter(({ isFinished }) => !isFinished));
	// Long parts first, or one of them would be left at the end; evenly, if all of them may end early.
	const urgency = (part: Part): number => (endsEarly ? part.depth : part.left);
	const isEnough = (): boolean => limit !== Number.POSITIVE_INFINITY && hasNewest(parts, limit);
	let hasAsked = false;
	let failure: { error: unknown } | undefined;
	const read = async (): Promise<void> => {
		while (!failure && waiting.size > 0 && !isEnough()) {
			const part = [...waiting].reduce((a, b) => (urgency(b) > urgency(a) ? b : a));
			waiting.delete(part);
			hasAsked = true;
			try {
				await part.readOn();
			} catch (error) {
				failure ??= { error };
			}
			if (!part.isFinished) waiting.add(part);
		}
		// If a page failed that was not needed in the end, never mind. The other readers are not waited for.
		if (failure && !isEnough()) throw failure.error;
	};
	await Promise.all(Array.from({ length: readers }, read));
	return hasAsked;
}

/** Whether `limit` records have been read that no unread record can be newer than. */
function hasNewest(parts: Part[], limit: number): boolean {
	if (parts.reduce((sum, { wanted }) => sum + wanted.length, 0) < limit) return false;
	const unread = parts.filter(({ isFinished }) => !isFinished).map(({ depth }) => depth);
	const border = Math.max(...unread);
	const above = parts.flatMap(({ wanted }) => wanted.filter(({ time }) => time >= border));
	return above.length >= limit;
}

/** Reads the tops of the lists once more, adds what moved there, and checks that everything has been read. */
export async function catchUp(lists: DividedList[], reading: ListReading): Promise<void> {
	await Promise.all(
		lists.map(async (list) => {
			if (list.problem === undefined) await catchUpOne(list, reading);
		}),
	);
}

async function catchUpOne(list: DividedList, reading: ListReading): Promise<void> {
	const { whole, parts } = list;
	const again = await openList(reading.fetchPage, whole.query);
	const known = new Set(whole.first.data.map(eventKey));
	const isKnown = (license: License): boolean => known.has(eventKey(license));
	let moved: License[] = [];
	if (!again.first.data.every(isKnown)) {
		for (const { wanted } of parts) for (const { license } of wanted) known.add(eventKey(license));
		moved = await newOnTop(again, isKnown);
	}
	const wanted = moved.filter(reading.matches);
	// Some may have been read before they moved: each license comes once, as it is now.
	const names = new Set(wanted.map(licenseName));
	if (names.size > 0) for (const part of parts) part.leaveOut(names);
	for (const license of wanted) parts[0]?.wanted.push(dated(license));

	const isWhole = parts.every(({ isFinished, isCut }) => isFinished && !isCut);
	const count = parts.reduce((sum, part) => sum + part.count, moved.length);
	const total = totalOf(again);
	if (total < totalOf(whole) || (isWhole && count < total)) {
		list.problem = TOO_SHORT;
	}
}

/** What is new on the pages down to the first one with something known. */
async function newOnTop(
	list: OpenList,
	isKnown: (license: License) => boolean,
): Promise<License[]> {
	const moved: License[] = [];
	for await (const { data } of pagesOf(list)) {
		moved.push(...data.filter((license) => !isKnown(license)));
		if (data.some(isKnown)) break;
	}
	return moved;
}

const PIECE = 500;

/** Newest first, each once, in pieces: what has become items can be freed at once. */
export function* inPieces(licenses: DatedLicense[], limit: number): Generator<License[]> {
	const oldestFirst = licenses.sort((a, b) => a.time - b.time);
	const isNew = onceByMoment();
	let left = limit;
	while (oldestFirst.length > 0 && left > 0) {
		const piece = oldestFirst
			.splice(-PIECE)
			.reverse()
			.filter(isNew)
			.slice(0, left)
			.map(({ license }) => license);
		left -= piece.length;
		yield piece;
	}
}

/** An event that changed parts while they were read may be in both, and then at the same moment. */
function onceByMoment(): (one: DatedLicense) => boolean {
	let first: DatedLicense | undefined;
	let keys: Set<string> | undefined;
	return (one) => {
		if (one.time !== first?.time) {
			[first, keys] = [one, undefined];
			return true;
		}
		keys ??= new Set([eventKey(first.license)]);
		return keys.size !== keys.add(eventKey(one.license)).size;
	};
}
