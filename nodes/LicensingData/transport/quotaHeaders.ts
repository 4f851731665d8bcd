import { textOf } from '../domain/readableText';
import { httpDate } from './httpDate';

/** What the headers of an answer say about one quota. A service may have several: a minute's and a month's. */
export interface Quota {
	name: string;
	/** How many requests the quota holds. */
	limit?: number;
	remaining: number;
	/** Milliseconds until it is renewed. */
	renewedIn?: number;
	/** Milliseconds from one renewal to the next. */
	window?: number;
}

/** Smaller numbers are seconds left, larger ones seconds since 1970, and the largest milliseconds since then. */
const FIRST_TIME = 1e9;
const FIRST_TIME_IN_MILLISECONDS = 1e11;

/** One member of a structured header, such as `"default";r=3;t=42`, and then one of its parameters. */
const MEMBER = /(?:"([^"]*)"|([\w*.-]+))((?:\s*;\s*\w+\s*=\s*\d+)+)/g;
const PARAMETER = /(\w+)\s*=\s*(\d+)/g;

/** The quotas in `X-RateLimit-…`, in `RateLimit-…`, and in `RateLimit` with its `RateLimit-Policy`. */
export function quotasIn(headers: Record<string, unknown>): Quota[] {
	// The service's own clock, by which it says when a quota is renewed.
	const now = httpDate(textOf(headers.date)) || Date.now();
	const plain = ['x-ratelimit', 'ratelimit'].map((name) => ({
		name,
		limit: countIn(headers[`${name}-limit`]),
		remaining: countIn(headers[`${name}-remaining`]),
		renewedIn: untilReset(headers[`${name}-reset`], now),
	}));
	const policies = new Map(membersOf(headers['ratelimit-policy']));
	const structured = membersOf(headers.ratelimit).map(([name, { r, t }]) => {
		const { q, w } = policies.get(name) ?? {};
		return {
			name: `ratelimit ${name}`,
			limit: q,
			remaining: r,
			renewedIn: inMilliseconds(t),
			window: inMilliseconds(w),
		};
	});
	return [...plain, ...structured].filter(
		(quota): quota is typeof quota & Quota => quota.remaining !== undefined && quota.limit !== 0,
	);
}

const membersOf = (header: unknown): Array<[name: string, parameters: Record<string, number>]> =>
	[...textOf(header).matchAll(MEMBER)].map(([, quoted, plain, parameters = '']) => [
		quoted ?? plain ?? '',
		Object.fromEntries(
			[...parameters.matchAll(PARAMETER)].map(([, name = '', value]) => [name, Number(value)]),
		),
	]);

/** Some services add their policy: `100, 100;w=60`. */
function countIn(header: unknown): number | undefined {
	const [digits] = /^\d{1,15}(?=\.0*$|[\s,;]|$)/.exec(textOf(header).trim()) ?? [];
	return digits === undefined ? undefined : Number(digits);
}

function untilReset(header: unknown, now: number): number | undefined {
	const text = textOf(header).trim();
	const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
	if (number === undefined) {
		const moment = httpDate(text);
		return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
	}
	if (number < FIRST_TIME) return number * 1000;
	return Math.max(0, (number < FIRST_TIME_IN_MILLISECONDS ? number * 1000 : number) - now);
}

const inMilliseconds = (seconds: number | undefined): number | undefined =>
	seconds === undefined ? undefined : seconds * 1000;
