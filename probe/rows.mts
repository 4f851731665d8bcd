import { EVENT_TYPES } from '../nodes/LicensingData/licenses/eventTypes.ts';
import { findCounty, withHyphens } from '../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../nodes/LicensingData/licenses/licenseTypes.ts';
import { momentOf } from '../nodes/LicensingData/licenses/time.ts';
import { isObject } from '../nodes/LicensingData/licenses/text.ts';
import type { Answer } from './client.mts';
import { pageIn, type Fields, type Paging } from './page.mts';
import { countyOf, idOf, type Survey } from './survey.mts';

/** What a service does, and what that means for the nodes. */
export interface Finding {
	does: string;
	means: string;
	/** Promises of docs/trigger.md that do not hold then. */
	breaks?: number[];
}

interface Row {
	asked: string;
	find: (survey: Survey) => Finding;
}

const works = (does: string): Finding => ({ does, means: 'works' });
const handled = (does: string, how: string): Finding => ({ does, means: `handled: ${how}` });
const limit = (does: string, what: string, breaks: number[] = []): Finding => ({
	does,
	means: `a limit: ${what}`,
	breaks,
});
export const UNKNOWN = 'ask the provider';
const unknown = (why: string): Finding => ({
	does: `unknown: ${why}`,
	means: UNKNOWN,
});

const HOUR = 3_600_000;

const DOCUMENTED = new Set(
	(
		'id licenseNumber licenseType status businessName legalName dbaName address filedDate ' +
		'effectiveDate eventType eventTimestamp sourceUrl'
	).split(' '),
);
const ADDRESS = new Set('street city county state zip lat lng'.split(' '));

/** Names and codes only: a longer text, or one of many, could name a business. */
const MOST_VALUES = 12;
const shown = (value: unknown): string => {
	const text = String(value);
	return /^[\w .:/()-]{1,30}$/.test(text) ? `\`${text}\`` : 'something else';
};
function listed(values: unknown[]): string {
	const different = [...new Set(values)];
	if (different.length === 0) return 'none';
	if (different.length > MOST_VALUES) return `${different.length} different ones`;
	return [...new Set(different.map(shown))].join(', ');
}

const momentsBy = (records: Fields[], field: string): number[] =>
	records.flatMap((record) => momentOf(record[field]) ?? []);

/** How much newer a record may be than one above it, in milliseconds. */
function disorder(moments: number[]): number {
	let lowest = Infinity;
	let worst = 0;
	for (const moment of moments) {
		worst = Math.max(worst, moment - lowest);
		lowest = Math.min(lowest, moment);
	}
	return worst;
}

function order({ newest }: Survey): Finding {
	const byEvent = disorder(momentsBy(newest, 'eventTimestamp'));
	const byFiling = disorder(momentsBy(newest, 'filedDate'));
	if (newest.length < 2) return unknown('the list has fewer than two licenses');
	if (byEvent === 0) return works('newest first, by `eventTimestamp`');
	const does =
		byFiling === 0
			? 'newest first, by `filedDate`'
			: `newest first by arrival or another date: an event may be up to ${Math.ceil(byEvent / HOUR)} hours newer than one above it`;
	return handled(does, 'the trigger goes by what it saw before, not by dates');
}

function ties({ newest, again }: Survey): Finding {
	const sizes = new Map<number, number>();
	for (const moment of momentsBy(newest, 'eventTimestamp'))
		sizes.set(moment, (sizes.get(moment) ?? 0) + 1);
	const largest = Math.max(0, ...sizes.values());
	if (largest < 2) return works('no two licenses have the same timestamp');
	const common = new Set(again.map(idOf));
	const before = newest
		.map(idOf)
		.slice(0, again.length)
		.filter((id) => common.has(id));
	const after = again.map(idOf).filter((id) => before.includes(id));
	if (before.join() === after.join())
		return works(`up to ${largest} licenses have the same timestamp; their order stays the same`);
	return limit(
		`up to ${largest} licenses have the same timestamp; their order changes from one reading to the next`,
		'a page may repeat a license and skip another, which may later be sent as if it were new',
		[3],
	);
}

function cursors({ cursor, cursorCounts }: Survey): Finding {
	if (!cursor) return unknown('no cursor was given');
	// Whether or not anything arrived meanwhile.
	if (cursorCounts) return positions(`: it contains ${cursorCounts.slice(0, 2).join(', then ')}`);
	if (cursor.status !== 200) return unknown('the cursor was no longer accepted');
	if (cursor.arrived === 0)
		return unknown('nothing arrived in three minutes. Run this again when more licenses are filed');
	if (cursor.begins === 'elsewhere')
		return unknown('the next page no longer shows any license that it showed before');
	if (cursor.begins === 'same')
		return works(
			'a cursor marks a place in the list: what arrives above it does not move the next page',
		);
	return positions(': what arrives or disappears above it moves the next page');
}

const positions = (how: string): Finding =>
	limit(
		`a cursor counts records${how}`,
		'if a license is removed while pages are read, another is skipped, and may later be sent as if it were new',
		[3],
	);

function cursorLife({ cursor }: Survey): Finding {
	if (!cursor) return unknown('no cursor was given');
	if (cursor.status === 200) return works('a cursor is accepted after three minutes');
	return limit(
		`after three minutes, a cursor is rejected with HTTP ${cursor.status}`,
		'if a rate limit lasts that long, the nodes cannot continue a list, and the trigger starts it again',
	);
}

function totals({ first, totals: { all, byType }, whole, newest }: Survey): Finding {
	if (first.total === undefined)
		return handled(
			'there is no total',
			'the trigger finds new licenses on later pages once page one changes, or else a day later',
		);
	const sum = byType.reduce<number>((known, one) => known + (one ?? Number.NaN), 0);
	// A license or two may come or go while a list is read.
	const isWhole = whole?.total === undefined || Math.abs(whole.total - whole.count) <= 2;
	const isPlausible =
		first.total >= newest.length && (Number.isNaN(sum) || Math.abs(sum - all!) <= all! / 50);
	if (isWhole && isPlausible) return works('the total is exact');
	return limit('the total is not the number of licenses that match', 'Count cannot rely on it');
}

const counted = (choices: Array<{ value: string }>, counts: Array<number | undefined>): Finding =>
	counts.every((one) => one === undefined)
		? unknown('there is no total')
		: works(choices.map(({ value }, at) => `\`${value}\` ${counts[at] ?? 'unknown'}`).join(', '));

/** A trigger for an event that a service never sends never starts. */
function eventCounts({ totals: { byEvent } }: Survey): Finding {
	const missing = EVENT_TYPES.filter((_, at) => byEvent[at] === 0).map(({ value }) => value);
	const found = counted(EVENT_TYPES, byEvent);
	if (missing.length === 0) return found;
	return limit(found.does, `a trigger for ${missing.join(' or ')} may never start`);
}

const PAGINGS: Record<Paging, Finding> = {
	'pagination.cursor': works('`pagination.cursor`'),
	next_cursor: handled('`next_cursor` beside `data`', 'understood'),
	offset: limit(
		'`pagination.offset`, and no cursor',
		'only the first page of a list can be read, so longer lists fail',
		[1],
	),
	none: limit('nothing', 'a full page fails, since nothing shows whether it is the last', [1]),
};

function limits({ first, limits: tried }: Survey): Finding {
	const inWords = tried.map(({ asked, status, count }) =>
		status === 200 ? `limit=${asked}: ${count}` : `limit=${asked}: HTTP ${status}`,
	);
	const does = `${first.records.length} without \`limit\`; ${inWords.join(', ')}`;
	const [fifty] = tried;
	if (fifty?.status === 200 && fifty.count > 0 && fifty.count < 50 && first.total !== fifty.count)
		return handled(does, 'the nodes work with smaller pages, too');
	if (fifty?.status === 200) return works(does);
	return limit(does, 'the nodes ask for 50 a page, which this service rejects', [1]);
}

function countySpelling({ newest }: Survey): Finding {
	const given = newest.map(countyOf).filter((county) => typeof county === 'string');
	if (given.length === 0) return unknown('no license names a county');
	const strange = given.filter((county) => findCounty(county) === undefined);
	const different = [...new Set(given)].filter((county) => findCounty(county) !== county);
	if (strange.length > 0)
		return limit(
			`${strange.length} of ${given.length} licenses have a county that is not one of the 67`,
			'filtering by county leaves these out',
		);
	if (different.length === 0) return works("as in the nodes' own list");
	const [example = ''] = different;
	const style =
		example === withHyphens(String(findCounty(example)))
			? 'in lower case with hyphens'
			: `such as ${shown(example)}`;
	return handled(style, 'the nodes understand it, and show it as the service does');
}

function countyFilter({ county }: Survey): Finding {
	if (!county) return unknown('no license names a Florida county to test with');
	const { found } = county;
	const known = Object.entries(found).filter(([, isFound]) => isFound);
	const names = {
		name: "the nodes' spelling",
		slug: 'lower case with hyphens',
		capitals: 'capitals',
		shown: 'the spelling in its answers',
	};
	const does = `understands ${known.map(([spelling]) => names[spelling as keyof typeof names]).join(', ') || 'none of four spellings'} (asked for ${shown(county.name)})`;
	if (found.name) return works(does);
	if (found.slug)
		return handled(
			does,
			"if the nodes' own spelling finds nothing, they try lower case with hyphens",
		);
	return limit(
		does,
		"filtering by county finds nothing. Leave 'Counties' empty, and use a Filter node",
		[1],
	);
}

function choices(field: string, known: string[], what: string) {
	return ({ newest, filters }: Survey): Finding => {
		const values = newest.map((record) => record[field]);
		const strange = values.filter((value) => typeof value !== 'string' || !known.includes(value));
		const bad = known.filter((value) => filters[value] === 'wrong' && values.includes(value));
		const refused = known.filter((value) => filters[value] === 'refused');
		const does = `answers have ${listed(values)}${bad.length > 0 ? `; the filter does not find ${listed(bad)}` : ''}${refused.length > 0 ? `; the filter rejects ${listed(refused)}` : ''}`;
		if (bad.length > 0 || refused.length > 0)
			return limit(does, `filtering by ${what} does not return what it should`, [1]);
		if (strange.length > 0)
			return handled(does, 'the nodes pass unknown values on, but no filter can select them');
		return works(does);
	};
}

function statuses({ newest, filters }: Survey): Finding {
	const values = newest.map(({ status }) => status);
	const does = `answers have ${listed(values)}`;
	if (filters.status === 'right')
		return values.every((value) => typeof value === 'string' && /^[a-z_]+$/.test(value))
			? works(does)
			: handled(does, "'Status' ignores case, and accepts the service's own values");
	return limit(`${does}; the filter does not find the most frequent one`, "leave 'Status' empty");
}

function freeText({ freeText: found }: Survey): Finding {
	if (!found) return unknown('no business has a plain name of two words');
	const part = found.partOfWord ? '' : ' (whole words only)';
	const byPhrase =
		'Match searches for two words exactly as written; Search may suggest trying one word';
	if (!found.asWritten)
		return limit(
			`one word of a name finds the business, two do not${part}`,
			'search for one word. Match can use only one word, within one county',
		);
	if (found.oneOfTwo)
		return handled(
			`any of the words is enough${part}`,
			'Match searches in one county; Search says if no license has all the words',
		);
	if (found.reversed) return works(`every word must appear somewhere${part}`);
	if (found.acrossFields)
		return handled(`the words side by side, even across two fields${part}`, byPhrase);
	return handled(`the words side by side in one field${part}`, byPhrase);
}

function search({ search: { status, body } }: Survey): Finding {
	if ([403, 404, 410].includes(status))
		return handled(`HTTP ${status}`, 'Search looks in the list instead');
	if (status !== 200) return limit(`HTTP ${status}`, 'Search does not work');
	if (Array.isArray(body)) return handled('a bare list', 'understood');
	const page = pageIn({ status, headers: new Headers(), body });
	if (!page) return limit(`an object with ${keysOf(body)}`, 'Search cannot read it');
	return page.paging === 'none'
		? handled('`data` alone', 'taken as the complete list')
		: works(`like the list: ${keysOf(body)}`);
}

/** A license of no known event is in no list that a trigger reads, and needs no time. */
const hasEvent = ({ eventType, eventTimestamp }: Survey['newest'][number]): boolean =>
	(eventType ?? eventTimestamp ?? null) !== null;

function timestamps({ newest }: Survey): Finding {
	const given = newest.filter(hasEvent).map(({ eventTimestamp }) => eventTimestamp);
	const kinds = listed(given.map(kindOfTimestamp));
	const unreadable = given.filter((value) => momentOf(value) === undefined).length;
	if (unreadable > 0)
		return limit(
			`${kinds}; ${unreadable} of ${given.length} cannot be read`,
			'of two events without a timestamp, only the first is sent, unless holder, status or expiration date differ',
			[1],
		);
	const isPlain = given.every((value) => kindOfTimestamp(value) === 'seconds in UTC (Z)');
	const hasNoZone = given.some((value) => kindOfTimestamp(value).endsWith('without a zone'));
	if (hasNoZone) return handled(kinds, 'read as UTC');
	return isPlain ? works(kinds) : handled(kinds, 'understood in this form, too');
}

function kindOfTimestamp(value: unknown): string {
	if (typeof value === 'number') return 'a number';
	const [, time, fraction, zone] =
		/^\d{4}-\d\d-\d\d(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(
			String(value),
		) ?? [];
	if (time === undefined) return momentOf(value) === undefined ? 'no date' : 'a day without a time';
	const precision = fraction ? 'milliseconds' : 'seconds';
	if (zone === undefined) return `${precision} without a zone`;
	return `${precision} ${zone === 'Z' ? 'in UTC (Z)' : `at ${zone}`}`;
}

function fields({ newest }: Survey): Finding {
	const others = newest.flatMap((record) => [
		...Object.keys(record).filter((name) => !DOCUMENTED.has(name)),
		...Object.keys(isObject(record.address) ? record.address : {})
			.filter((name) => !ADDRESS.has(name))
			.map((name) => `address.${name}`),
	]);
	return others.length === 0
		? works('none')
		: handled(listed(others), "'Raw' and 'Selected Fields' show them");
}

function nulls({ newest }: Survey): Finding {
	const shares = [...DOCUMENTED].flatMap((name) => {
		const missing = newest.filter((record) => (record[name] ?? null) === null).length;
		return missing === 0 ? [] : [{ name, share: Math.ceil((100 * missing) / newest.length) }];
	});
	const does = shares.map(({ name, share }) => `\`${name}\` ${share} %`).join(', ') || 'never';
	const needed = shares.filter(
		({ name }) =>
			['id', 'licenseNumber'].includes(name) ||
			(name === 'eventTimestamp' && newest.some((one) => hasEvent(one) && !one.eventTimestamp)),
	);
	if (needed.length === 0)
		return shares.length === 0 ? works(does) : handled(does, 'they stay empty');
	return limit(
		does,
		'without a timestamp, only holder, status and expiration date tell events apart; without a number, only the ID tells licenses apart',
		[1],
	);
}

function rateLimits({ limitHeaders, refused, requests }: Survey): Finding {
	const names = [...limitHeaders].map(
		([name, value]) => `\`${name}: ${/^[\w";=,.: -]{1,60}$/.test(value) ? value : '…'}\``,
	);
	const times = refused > 0 ? `; ${refused} of ${requests} requests got HTTP 429` : '';
	if (names.length === 0)
		return refused > 0
			? limit(`no headers${times}`, 'the nodes notice the limit only when they reach it')
			: handled('no headers, and no limit was reached', 'the nodes slow down when they reach one');
	// The nodes go by refusals, and need no forecast.
	return works(`${names.join(', ')}${times}`);
}

function errorBodies({ errors }: Survey): Finding {
	const described = Object.entries(errors).map(
		([what, answer]) => `${inWords[what]}: ${shapeOf(answer)}`,
	);
	const does = described.join('; ');
	const { badKey, unknownLicense, badLimit, badType, unknownParameter } = errors;
	if (badKey.status !== 401 && badKey.status !== 403)
		return limit(does, 'the nodes cannot tell a wrong key from other rejections');
	if (unknownLicense.status !== 404)
		return limit(does, 'Get cannot tell an unknown license from other rejections');
	const isDocumented = [badKey, unknownLicense].every(
		({ body }) => isObject(body) && isObject(body.error) && typeof body.error.type === 'string',
	);
	const isStrict = [badLimit, badType, unknownParameter].every(({ status }) => status === 400);
	return isDocumented && isStrict ? works(does) : handled(does, 'the nodes show the message');
}

const inWords: Record<string, string> = {
	badLimit: 'limit 0',
	badType: 'an unknown type',
	unknownParameter: 'an unknown parameter',
	badKey: 'a wrong key',
	unknownLicense: 'an unknown license',
};

function shapeOf({ status, headers, body }: Answer): string {
	const id = headers.has('x-request-id') ? ' and `x-request-id`' : '';
	if (status === 200) return 'HTTP 200';
	const inside =
		isObject(body) && isObject(body.error) ? ` with ${keysOf(body.error)} in \`error\`` : '';
	return `HTTP ${status}, ${isObject(body) ? keysOf(body) : 'no JSON'}${inside}${id}`;
}

const keysOf = (value: unknown): string =>
	isObject(value) ? listed(Object.keys(value)) : typeof value;

function get({ get: { id, number } }: Survey): Finding {
	const does = `by \`id\`: HTTP ${id}; by \`licenseNumber\`: HTTP ${number}`;
	return id === 200 && number === 200
		? works(does)
		: limit(does, 'Get works only where the answer is HTTP 200');
}

export const ROWS: Row[] = [
	{ asked: 'What order is the list in?', find: order },
	{ asked: 'Do licenses have the same timestamp?', find: ties },
	{ asked: 'What shows that another page follows?', find: ({ first }) => PAGINGS[first.paging] },
	{ asked: 'What does a cursor stand for?', find: cursors },
	{ asked: 'Does a cursor last three minutes?', find: cursorLife },
	{ asked: 'Is the total exact?', find: totals },
	{ asked: 'How many licenses does a page have?', find: limits },
	{ asked: 'How are counties spelled in answers?', find: countySpelling },
	{ asked: 'How must counties be spelled in the filter?', find: countyFilter },
	{
		asked: 'Which license types?',
		find: choices(
			'licenseType',
			LICENSE_TYPES.map(({ value }) => value),
			'type',
		),
	},
	{
		asked: 'Which kinds of event?',
		find: choices(
			'eventType',
			EVENT_TYPES.map(({ value }) => value),
			'event',
		),
	},
	{ asked: 'How many of each event?', find: eventCounts },
	{
		asked: 'How many of each license type?',
		find: ({ totals: { byType } }) => counted(LICENSE_TYPES, byType),
	},
	{ asked: 'Which statuses?', find: statuses },
	{ asked: 'What does the free-text filter look for?', find: freeText },
	{ asked: 'What does the search return?', find: search },
	{ asked: 'Is a license found by ID, and by number?', find: get },
	{ asked: 'How are timestamps written?', find: timestamps },
	{ asked: 'Which fields are not documented?', find: fields },
	{ asked: 'How often are fields null or absent?', find: nulls },
	{ asked: 'What do headers say about rate limits?', find: rateLimits },
	{ asked: 'What do rejections look like?', find: errorBodies },
];
