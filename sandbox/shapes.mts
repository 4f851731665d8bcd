import { countyKey } from './dataset/county-key.mts';
import { hash } from './dataset/random.mts';
import { forbidden, notFound } from './server/service-error.mts';

/**
 * What the interface leaves open: one entry a question, and one line for each way in which a service may answer
 * it. The first line of an entry is what the stream does unless asked. A test asks by name, or hands over an
 * answer of its own.
 */
export interface Shapes {
	/** A page without cursors is asked for by `offset`. */
	pages: { show: (page: PageParts) => object; byOffset?: boolean };
	/** Undefined leaves the total out. */
	totals: (total: number) => number | undefined;
	limits: { default: number; largest: number };
	cursors: 'key' | 'position';
	cursorLife: { milliseconds: number; status: number };
	/** What the list is sorted by, highest first. */
	order: (place: { time: number; filed: number; arrival: number }) => number;
	/** What decides among records of the same place; `read` counts the requests. */
	ties: { rank: (serial: number, read: number) => number; changes?: boolean };
	/** How the county of a record is spelled. */
	counties: (name: string) => string;
	/** Whether the county that was asked for is the one that records show like this. */
	countyFilter: (asked: string, shown: string, name: string) => boolean;
	/** `text` holds business name, city and county in lower case, one a line. */
	freeText: (asked: string) => (text: string) => boolean;
	unknownParameters: { status?: number };
	badValues: { status: number };
	searchShape: (data: object[], page: object) => object;
	errors: (fault: Fault) => { body: object; headers?: Record<string, string> };
	rateLimits: RateLimit | undefined;
	rateLimitHeaders: (allowance: Allowance) => Record<string, string>;
	statuses: (status: string) => string;
	eventTypes: (eventType: string, serial: number) => string;
	timestamps: (given: string, time: number) => string;
	/** What a record has besides what is documented, or lacks of it. */
	fields: Record<string, unknown>;
	deliveries: (delivery: DeliveryParts) => object;
	signatures: { header: string; prefix: string };
	/** How a delivery names the type of a license. */
	deliveredTypes: (licenseType: string) => string;
}

export interface PageParts {
	data: object[];
	cursor: string | null;
	offset: number;
	total: number | undefined;
	limit: number;
	requestId: string;
}

export interface Fault {
	type: string;
	message: string;
	param?: string | undefined;
	requestId: string;
}

export type RateLimit =
	/** This many in any so many seconds. */
	| { requests: number; seconds: number }
	/** So many in a minute that begins with a key's first request, by kind of key. */
	| { test: number; live: number };

export interface Allowance {
	limit: number;
	remaining: number;
	/** When there is more again, and what time it is. */
	resetAt: number;
	now: number;
	seconds: number;
}

export interface DeliveryParts {
	id: string;
	kind: string;
	license: { status?: unknown };
	previousStatus: string | null;
	at: string;
	webhookId: string;
	attempt: number;
	/** A signature of any text. */
	sign: (text: string) => string;
}

const slug = (county: string): string =>
	county
		.toLowerCase()
		.replace(/[^a-z]+/g, '-')
		.replace(/^-|-$/g, '');
const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const secondsUntil = ({ resetAt, now }: Allowance): string =>
	String(Math.max(0, Math.ceil((resetAt - now) / 1000)));
const rateHeaders = ({ limit, remaining }: Allowance, reset: string) => ({
	'X-RateLimit-Limit': String(limit),
	'X-RateLimit-Remaining': String(remaining),
	'X-RateLimit-Reset': reset,
});
const withoutFraction = (time: number): string => new Date(time).toISOString().slice(0, 19);
const MOST_WORDS = 8;
const wordsOf = (text: string): string[] =>
	text.trim().toLowerCase().split(/\s+/).slice(0, MOST_WORDS);
const asOneText = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, ' ');
const MINUTE = 60_000;
const typeNames: Record<string, string> = {
	SRX: 'Special Restaurant (4SRX)',
	COP: 'Quota Beverage (4COP)',
	BEV: 'Beer and Wine (2BEV)',
	APS: 'Package Store (3APS)',
};

type Table = {
	[Question in keyof Shapes]: { about: string; choices: Record<string, Shapes[Question]> };
};

export const SHAPES = {
	pages: {
		about: 'where a page says what follows',
		choices: {
			pagination: {
				show: ({ data, cursor, total, limit }) => ({
					data,
					pagination: { cursor, hasMore: cursor !== null, total, limit },
				}),
			},
			topLevel: { show: ({ data, cursor }) => ({ data, next_cursor: cursor }) },
			offset: {
				show: ({ data, cursor, offset, total, limit, requestId }) => ({
					data,
					pagination: { limit, offset, total, has_more: cursor !== null },
					meta: { request_id: requestId },
				}),
				byOffset: true,
			},
		},
	},
	totals: {
		about: 'what the total counts',
		choices: {
			exact: (total) => total,
			missing: () => undefined,
			capped: (total) => Math.min(total, 100),
		},
	},
	limits: {
		about: 'default and largest page',
		choices: {
			from10to50: { default: 10, largest: 50 },
			from25to100: { default: 25, largest: 100 },
			from50to500: { default: 50, largest: 500 },
		},
	},
	cursors: {
		about: 'what a cursor stands for: a place in the order, or a count of records',
		choices: { key: 'key', position: 'position' },
	},
	cursorLife: {
		about: 'how long a cursor is accepted, and the status of one that is not',
		choices: {
			forever: { milliseconds: Infinity, status: 400 },
			minute404: { milliseconds: MINUTE, status: 404 },
		},
	},
	order: {
		about: 'which date "newest first" is about',
		choices: {
			eventTimestamp: ({ time }) => time,
			arrival: ({ arrival }) => arrival,
			filedDate: ({ filed }) => Math.floor(filed / (24 * 60 * MINUTE)),
		},
	},
	ties: {
		about: 'the order among records of the same moment',
		choices: {
			newFirst: { rank: (serial) => serial },
			changing: { rank: (serial, read) => hash(read, serial, 0), changes: true },
		},
	},
	counties: {
		about: 'how records spell their county',
		choices: {
			name: (name) => name,
			slug,
		},
	},
	countyFilter: {
		about: 'which spelling of a county the filter knows',
		choices: {
			any: (asked, shown, name) => [countyKey(shown), countyKey(name)].includes(countyKey(asked)),
			asShown: (asked, shown) => sameText(asked, shown),
			slug: (asked, _shown, name) => sameText(asked, slug(name)),
		},
	},
	freeText: {
		about: 'what a text of several words finds',
		choices: {
			everyWord: (asked) => {
				const words = wordsOf(asked);
				return (text) => words.every((word) => text.includes(word));
			},
			anyWord: (asked) => {
				const words = wordsOf(asked);
				return (text) => words.some((word) => text.includes(word));
			},
			wholeWords: (asked) => {
				const words = wordsOf(asked);
				return (text) => {
					const known = new Set(text.split(/\s+/));
					return words.every((word) => known.has(word));
				};
			},
			withinField: (asked) => {
				const whole = asOneText(asked);
				return (text) => text.includes(whole);
			},
			withinRecord: (asked) => {
				const whole = asOneText(asked);
				return (text) => text.replaceAll('\n', ' ').includes(whole);
			},
		},
	},
	unknownParameters: {
		about: 'what becomes of a parameter that the service does not know',
		choices: { refused: { status: 400 }, ignored: {} },
	},
	badValues: {
		about: 'the status for a value that is not allowed',
		choices: { refused: { status: 400 }, refused422: { status: 422 } },
	},
	searchShape: {
		about: 'what a search answers',
		choices: {
			page: (_data, page) => page,
			data: (data) => ({ data }),
			array: (data) => data,
			absent: () => {
				throw notFound('There is nothing at GET /v1/licenses/search.');
			},
			forbidden: () => {
				throw forbidden('Your plan does not include the search.');
			},
		},
	},
	errors: {
		about: 'what an error looks like',
		choices: {
			type: ({ type, message }) => ({ body: { error: { type, message } } }),
			code: ({ type, message, param, requestId }) => ({
				body: { error: { code: type, message, ...(param && { param }) }, requestId },
				headers: { 'X-Request-ID': requestId },
			}),
		},
	},
	rateLimits: {
		about: 'how many requests a key may make',
		choices: {
			off: undefined,
			plan60: { test: 60, live: 60 },
			plan120: { test: 60, live: 120 },
			plan600: { test: 60, live: 600 },
			plan3000: { test: 60, live: 3000 },
			fiveAMinute: { requests: 5, seconds: 60 },
			sixtyAMinute: { requests: 60, seconds: 60 },
			thousandAMonth: { requests: 1000, seconds: 30 * 24 * 60 * 60 },
		},
	},
	rateLimitHeaders: {
		about: 'how an answer says what is left of the rate limit',
		choices: {
			none: () => ({}),
			epoch: (allowance) => rateHeaders(allowance, String(Math.ceil(allowance.resetAt / 1000))),
			dateTime: (allowance) => rateHeaders(allowance, new Date(allowance.resetAt).toISOString()),
			structured: (allowance) => ({
				'RateLimit-Policy': `"default";q=${allowance.limit};w=${allowance.seconds}`,
				RateLimit: `"default";r=${allowance.remaining};t=${secondsUntil(allowance)}`,
			}),
		},
	},
	statuses: {
		about: 'the words for a status',
		choices: {
			active: (status) => status,
			approved: (status) => (status === 'active' ? 'approved' : status),
			capitals: (status) => status.toUpperCase(),
		},
	},
	eventTypes: {
		about: 'whether there are kinds of event besides the documented five',
		choices: {
			documented: (eventType) => eventType,
			addressChange: (eventType, serial) =>
				eventType === 'renewal' && serial % 2 === 1 ? 'address_change' : eventType,
		},
	},
	timestamps: {
		about: 'zone and precision of eventTimestamp',
		choices: {
			seconds: (given) => given,
			offset: (_given, time) => `${withoutFraction(time - 4 * 60 * MINUTE)}-04:00`,
			noZone: (_given, time) => withoutFraction(time),
		},
	},
	fields: {
		about: 'fields beside the documented ones, or missing',
		choices: {
			documented: {},
			more: { phone: '850-555-0100', ownerEmail: null },
			fewer: { legalName: null, dbaName: null, effectiveDate: null, sourceUrl: undefined },
		},
	},
	deliveries: {
		about: 'what a delivery looks like',
		choices: {
			typeAndData: ({ kind, license }) => ({ type: kind, data: license }),
			identified: ({ id, kind, license, previousStatus, at }) => ({
				id,
				type: `license.${kind}`,
				created: at,
				data: {
					license,
					...(kind === 'status_change' && { previousStatus, newStatus: license.status }),
				},
			}),
			attempted: ({ id, kind, license, at, webhookId, attempt, sign }) => ({
				id,
				event: `license.${kind}`,
				timestamp: at,
				webhookId,
				attempt,
				signature: sign(JSON.stringify(license)),
				data: license,
			}),
		},
	},
	signatures: {
		about: 'the header of a signature, and what comes before the digest',
		choices: {
			service: { header: 'X-Service-Signature', prefix: '' },
			prefixed: { header: 'X-Service-Signature', prefix: 'sha256=' },
			named: { header: 'X-Example-Signature', prefix: '' },
		},
	},
	deliveredTypes: {
		about: 'how a delivery names the type of a license',
		choices: {
			code: (licenseType) => licenseType,
			label: (licenseType) => typeNames[licenseType] ?? licenseType,
		},
	},
} satisfies Table;

/** The name of a choice, or an answer that the table lacks. */
export type ShapeOptions = {
	[Question in keyof Shapes]?: keyof (typeof SHAPES)[Question]['choices'] | Shapes[Question];
};

export const questions = Object.keys(SHAPES) as Array<keyof Shapes>;

export const choicesOf = (question: keyof Shapes): string[] =>
	Object.keys(SHAPES[question].choices);

export function shapesFrom(options: ShapeOptions = {}): Shapes {
	const chosen = questions.map((question) => {
		const choices: Record<string, unknown> = SHAPES[question].choices;
		const asked = options[question] ?? choicesOf(question)[0];
		return [question, typeof asked === 'string' ? choices[asked] : asked];
	});
	return Object.fromEntries(chosen) as Shapes;
}
