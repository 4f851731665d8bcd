import { documented, type Answers } from '../server/answers.mts';
import { slug } from '../server/license.mts';
import type { RegisterRecord } from './register/record.mts';

/**
 * What the interface leaves open: one entry a question, and one line for each way in which a service may answer
 * it. The first line of an entry is what a register does. A test asks by name, or hands over an answer of its own.
 */
export interface Shapes extends Answers {
	cursors: 'position' | 'key';
	/** What the list is sorted by, highest first. */
	order: (record: Placed, day: number) => number;
	/** What the order among records of the same place does from one request to the next. */
	ties: 'stay' | 'change';
	/** How the county of a record is spelled. */
	counties: (name: string) => string;
	/** Tells whether the county that was asked for, in lower case, is the one that records show like this. */
	countyFilter: (asked: string, shown: string, name: string) => boolean;
	/** `text` holds business name, city and county, one a line, all in lower case as what was asked. */
	freeText: (asked: string) => (text: string) => boolean;
	rateLimits: RateLimit | undefined;
	statuses: (status: string) => string;
}

/** What a record's place may follow from: days since 1970, undefined for the list's own. */
type Placed = Pick<RegisterRecord, 'eventType' | 'filed' | 'effective'>;
/** Requests in a minute that begins with a key's first one, by kind of key. */
export type RateLimit = Record<'test' | 'live', number>;

const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const wordsOf = (text: string): string[] => text.split(/\s+/).slice(0, 8);
/** Groceries, which the list shows first, have no date. */
const filedOn = ({ filed }: Placed, day: number): number => filed ?? day + 1;

type Table = { [Question in keyof Shapes]: Record<string, Shapes[Question]> };

const SHAPES = {
	pages: {
		pagination: documented.pages,
		topLevel: ({ data, cursor }) => ({ data, next_cursor: cursor }),
	},
	cursors: { position: 'position', key: 'key' },
	order: {
		newFilings: (record, day) =>
			filedOn(record, day) + (record.eventType === 'new_filing' ? 1e6 : 0),
		eventTimestamp: ({ effective }, day) => effective ?? day,
	},
	ties: { stay: 'stay', change: 'change' },
	counties: { name: (name) => name, slug },
	countyFilter: {
		name: (asked, _shown, name) => sameText(asked, name),
		asShown: (asked, shown) => sameText(asked, shown),
	},
	freeText: {
		withinRecord: (asked) => (text) => text.replaceAll('\n', ' ').includes(asked),
		everyWord: (asked) => {
			const words = wordsOf(asked);
			return (text) => words.every((word) => text.includes(word));
		},
		anyWord: (asked) => {
			const words = wordsOf(asked);
			return (text) => words.some((word) => text.includes(word));
		},
	},
	searchShape: {
		found: documented.searchShape,
		page: async (_found, page) => await page(),
	},
	rateLimits: {
		plan3000: { test: 60, live: 3000 },
		plan600: { test: 60, live: 600 },
		plan120: { test: 60, live: 120 },
		plan60: { test: 60, live: 60 },
		five: { test: 5, live: 5 },
		off: undefined,
	},
	rateLimitHeaders: {
		epoch: documented.rateLimitHeaders,
		structured: ({ limit, remaining, resetAt, now }) => ({
			'RateLimit-Policy': `"default";q=${limit};w=60`,
			RateLimit: `"default";r=${remaining};t=${Math.ceil((resetAt - now) / 1000)}`,
		}),
	},
	statuses: {
		active: (status) => status,
		capitals: (status) => status.toUpperCase(),
	},
} satisfies Table;

/** The name of a choice, or an answer that the table lacks. */
export type ShapeOptions = {
	[Question in keyof Shapes]?: keyof (typeof SHAPES)[Question] | Shapes[Question];
};

export const questions = Object.keys(SHAPES) as Array<keyof Shapes>;

export const choicesOf = (question: keyof Shapes): string[] => Object.keys(SHAPES[question]);

export function shapesFrom(options: ShapeOptions = {}): Shapes {
	const chosen = questions.map((question) => {
		const choices: Record<string, unknown> = SHAPES[question];
		const asked = question in options ? options[question] : choicesOf(question)[0];
		return [question, typeof asked === 'string' ? choices[asked] : asked];
	});
	return Object.fromEntries(chosen) as Shapes;
}
