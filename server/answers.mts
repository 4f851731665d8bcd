import type { License } from './license.mts';

/** What the interface leaves open in an answer. */
export interface Answers {
	pages: (page: PageParts) => object;
	searchShape: (found: Found, page: () => Promise<object>) => object;
	rateLimitHeaders: (allowance: Allowance) => Record<string, string>;
}

export interface PageParts {
	data: License[];
	cursor: string | null;
	total: number;
	limit: number;
}

type Found = { data: License[]; query: string; count: number };
/** What is left of a limit, and when there is more again. */
export type Allowance = { limit: number; remaining: number; resetAt: number; now: number };

/** The answers that openapi.yaml describes. */
export const documented = {
	pages: ({ data, cursor, total, limit }) => ({
		data,
		pagination: { cursor, hasMore: cursor !== null, total, limit },
	}),
	searchShape: (found) => found,
	rateLimitHeaders: ({ limit, remaining, resetAt }) => ({
		'X-RateLimit-Limit': String(limit),
		'X-RateLimit-Remaining': String(remaining),
		'X-RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
	}),
} satisfies Answers;
