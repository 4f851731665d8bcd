import { onlyNew } from '../api/pages';
import type { License } from '../api/types';
import { Crew } from './crew';
import { Doubt } from './doubt';
import { merge } from './merge';
import type { OpenList } from './openList';
import { totalOf } from './openList';
import { Order } from './order';
import { Part } from './part';
import type { Reading } from './readList';
import { verifyBeginning, verifyUnmoved } from './verify';

/** Reads a list by its parts. Brings what reading it page by page would bring, or throws a Doubt. */
export async function readSideBySide(
	whole: OpenList,
	lists: OpenList[],
	{ readers, estimate, keep, select }: Reading,
	openAgain: () => Promise<OpenList>,
): Promise<License[][]> {
	const endsEarly = estimate(whole.first.data, totalOf(whole)) < totalOf(whole);
	const order = new Order();
	order.watch(whole.first.data);
	let lastOfWhole = whole.first.data.slice(-1);
	const common = { order, keep, isNew: onlyNew() };
	const parts = lists.map((list) => new Part(list, common));
	const crew = new Crew(parts, readers, (part) => (endsEarly ? part.depth : part.left));
	try {
		for (;;) {
			const { rule, isOverruled, isDisputed } = order.decide();
			let beginning: License[] = [];
			const pages = merge(parts, rule, async () => await crew.progress());
			const selected: License[][] = [];
			const noted = noteFirst(pages, (page) => (beginning = page));
			// Records of one moment and different parts stand together in the whole alone.
			const settle = async () => {
				while (isDisputed() && !isOverruled()) {
					const { value, done } = await whole.rest.next();
					if (done) throw new Doubt('it does not show how records of the same moment stand');
					order.watch([...lastOfWhole, ...value.data]);
					lastOfWhole = value.data.slice(-1);
				}
			};
			let settling: Promise<void> | undefined;
			for await (const licenses of select(noted)) {
				if (isOverruled()) break;
				selected.push(licenses);
				if (!settling && isDisputed()) {
					settling = settle();
					settling.catch(() => {});
				}
			}
			await settling;
			await settle();
			// Only the merging is done anew.
			if (isOverruled()) continue;
			crew.stop();
			crew.throwDoubt();
			verifyBeginning(whole.first.data, beginning);
			verifyUnmoved(whole.first, (await openAgain()).first);
			return selected;
		}
	} finally {
		crew.stop();
	}
}

async function* noteFirst<T>(
	source: AsyncIterable<T>,
	note: (first: T) => void,
): AsyncGenerator<T> {
	let isFirst = true;
	for await (const value of source) {
		if (isFirst) note(value);
		isFirst = false;
		yield value;
	}
}
