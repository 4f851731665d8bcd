import type { License } from './license.mts';

/**
 * What the server stands in front of: implement `Register`, and hand it to `startServer`.
 *
 *   const server = await startServer({
 *     accounts: [{ name: 'own', key, register }],   who may ask, for what, and how often
 *     port: 4020,                                   and `host`, `names`, where others than this machine may ask
 *     extend: (fastify) => fastify.get('/status', …),   what is outside the interface: it needs no key
 *   });
 *   server.baseUrl; await server.close();
 *
 * The server reads queries, cursors and keys; a register never sees one that cannot be used. What it throws is
 * answered with 500 and its message, or with its `statusCode`.
 */
export interface Register {
	/** Why it cannot answer yet, as a sentence for whoever asks: the answer is then 503. */
	readonly notReady?: string | undefined;
	/** At most `limit` of the licenses that match, newest first, from a position on. */
	page(query: Query, position: Position, limit: number): Soon<Page>;
	/** At most `limit` licenses in which this text, in lower case, is part of a name, a place or a street. */
	search(text: string, county: string | undefined, limit: number): Soon<License[]>;
	/** One license by its id or its number. */
	get(idOrNumber: string): Soon<License | undefined>;
}

type Soon<Value> = Value | Promise<Value>;

/** What is asked of a list: in lower case, without blanks around it, and absent where anything will do. */
export type Query = {
	[Filter in 'county' | 'license_type' | 'event_type' | 'status' | 'q']?: string;
};

/** Where a page begins: after so many of the licenses that match, or below what the register called a place. */
export type Position = { offset: number } | { after: string };

export interface Page {
	data: License[];
	/** Where the next page begins; null where there is none. */
	next: Position | null;
	/** How many match. */
	total: number;
}
