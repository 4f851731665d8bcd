import { LARGEST_PAGE } from '../api/licenses';
import type { License } from '../api/types';
import type { Rule } from './order';
import type { Part } from './part';

/**
 * Brings the records of all parts in the order and the page size of the whole, and waits where a part
 * has not been read far enough to tell which record is next.
 */
export async function* merge(
	parts: Part[],
	rule: Rule,
	progress: () => Promise<void>,
): AsyncGenerator<License[]> {
	const heads = parts.map((part) => ({ part, at: 0 }));
	let page: License[] = [];
	for (;;) {
		let next: (typeof heads)[number] | undefined;
		for (const head of heads) {
			while (head.at === head.part.licenses.length && !head.part.isFinished) await progress();
			if (head.at === head.part.licenses.length) continue;
			if (!next || standsBefore(head, next, rule)) next = head;
		}
		if (!next) break;
		page.push(licenseAt(next));
		next.at++;
		if (page.length === LARGEST_PAGE) {
			yield page;
			page = [];
		}
	}
	if (page.length > 0) yield page;
}

interface Head {
	part: Part;
	at: number;
}

function standsBefore(a: Head, b: Head, rule: Rule): boolean {
	const [left, right] = [momentAt(a), momentAt(b)];
	return left === right ? rule(licenseAt(a), licenseAt(b)) < 0 : left > right;
}

const licenseAt = ({ part, at }: Head): License => part.licenses[at] as License;
const momentAt = ({ part, at }: Head): number => part.moments[at] as number;
