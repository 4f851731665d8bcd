import type { FilterValues } from '../filters/filter';
import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { statusesOf } from '../licenses/statuses';
import { formatCount } from '../licenses/text';
import { momentOf } from '../licenses/time';
import { isRejected } from '../service/httpFailures';
import type { PollInput } from './parameters';

/** Of each event's list, where n8n asks for examples. */
const MAX_TESTED = { events: 5, pages: 10 };

const timeOf = ({ eventTimestamp }: License): number => momentOf(eventTimestamp) ?? 0;

/** A few of the latest events to build a workflow with, the newest last; none if nothing matches. Reads no state. */
export async function findTestEvents(input: PollInput, values: FilterValues): Promise<License[]> {
	const listed: License[] = [];
	let isCut = false;
	for (const { readPage, isOptional } of input.watched) {
		const found: License[] = [];
		let cursor: string | null = null;
		for (let pages = 0; pages < MAX_TESTED.pages && found.length < MAX_TESTED.events; pages++) {
			const page = await readPage(cursor);
			if (page instanceof Failure && (found.length > 0 || (isOptional && isRejected(page)))) break;
			if (page instanceof Failure) throw page;
			listed.push(...page.records.map(({ record }) => record));
			for (const { record, matched, leftOut } of page.records)
				if (leftOut === undefined && matched && input.wanted.matches(matched)) found.push(record);
			cursor = page.cursor;
			if (cursor === null) break;
		}
		isCut ||= cursor !== null;
		// Where the list has parts, each county for instance, a page holds one part after another.
		const inTime = found.reverse().sort((one, other) => timeOf(one) - timeOf(other));
		if (inTime.length > 0) return inTime.slice(-MAX_TESTED.events);
	}
	if (listed.length === 0) return [];
	// The interface does not list the statuses, and a trigger that waits for a wrong one would be silent forever.
	if (values.status !== undefined)
		throw new Failure(
			"No event with this 'Status' matches the other filters",
			`The newest licenses have: ${statusesOf(listed)}. Choose one of these, or publish the workflow and wait.`,
		);
	// As n8n's own polling triggers do: this is no failure, and n8n says that nothing was found.
	if (!isCut) return [];
	throw new Failure(
		`None of the newest ${formatCount(listed.length)} entries matches the filters`,
		"A test looks no further than ten pages. A published workflow reads the whole list: publish it and wait, or widen 'Filters' to see an example.",
	);
}
