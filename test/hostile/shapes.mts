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

const UNREADABLE = 'The service sent an answer this node cannot read';
/**
 * What does not simply work: by question, choice and operation. A refusal is its first sentence. A result that is
 * wrong without a word ("finds …") would be a defect.
 */
export const EXPECTED: Record<string, Record<string, Record<string, Outcome>>> = {
	pages: {
		// Every page of a shorter list says that it is the last.
		offset: each(['Get Many', 'Get Many of a type', 'Count'], UNREADABLE),
	},
	ties: {
		// Among records of the same moment, what moved up between two pages is not on the next.
		changing: { Count: 'finds 66 of 67, and 1 others, and says that some may be missing' },
	},
};
