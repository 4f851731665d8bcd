import type { ShapeOptions } from '../../sandbox/shapes.mts';

/** `works`, the first sentence of a refusal, or what is wrong with the result. */
export type Outcome = string;

/** What has to be otherwise, too, for a shape to make a difference. */
export const COMPANIONS: Record<string, ShapeOptions> = {
	counties: { countyFilter: 'asShown' },
	rateLimitHeaders: { rateLimits: 'fiveAMinute' },
};

const each = (operations: string[], outcome: Outcome): Record<string, Outcome> =>
	Object.fromEntries(operations.map((operation) => [operation, outcome]));

const LISTS = ['Get Many', 'Get Many of two counties', 'Get Many of a type', 'Count', 'Export'];
const SEARCHES = ['Search', 'Search of a county', 'Match'];
const UNREADABLE = 'The service sent an answer this node cannot read';
/**
 * What does not simply work: by question, choice and operation. A refusal is its first sentence. A result that is
 * wrong without a word ("finds …") is a known defect: whoever mends it takes its line away.
 */
export const EXPECTED: Record<string, Record<string, Record<string, Outcome>>> = {
	pages: {
		// Every page of a shorter list says that it is the last.
		offset: each(['Get Many', 'Get Many of a type', 'Count', 'Polling trigger'], UNREADABLE),
	},
	limits: {
		from10to25: each(
			[...LISTS, ...SEARCHES, 'Polling trigger'],
			'The service did not accept the request (HTTP 400)',
		),
	},
	freeText: {
		withinField: { Match: 'finds 0 of 5, and 0 others' },
		withinRecord: { Match: 'finds 1 of 5, and 0 others' },
	},
	searchShape: {
		absent: each(SEARCHES, 'The service has no such web address (HTTP 404)'),
		forbidden: each(SEARCHES, 'The API key does not allow this'),
	},
};
