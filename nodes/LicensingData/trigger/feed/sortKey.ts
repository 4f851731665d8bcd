import { eventHash, type EventRecord } from '../../domain/eventIdentity';
import { momentOf } from '../../domain/moment';

/**
 * An event's time and identity as a text that sorts: eight characters of time, eight of identity.
 * Comparing keys with `<` orders events, and breaks ties the same way every time. So a set of keys can be
 * cut anywhere, even between events of the same moment (promise 4).
 */
export type SortKey = string;

/** A point in the order of the keys: a key, the start of a time (half a key), or before all of them. */
export type Point = string;
export const BEFORE_ALL: Point = '';

export const KEY_LENGTH = 16;
const TIME_LENGTH = 8;

/** The latest time that fits, in the year 2059. Events without a timestamp get it, so they come last. */
const UNDATED = 36 ** TIME_LENGTH - 1;

/** The keys of undated events begin here. */
export const FIRST_UNDATED = 'z'.repeat(TIME_LENGTH);

export const sortKeyOf = (record: EventRecord): SortKey =>
	startOf(momentOf(record.eventTimestamp) ?? UNDATED) + eventHash(record);

/** Sorts before every key of that time. */
export const startOf = (time: number): Point =>
	Math.min(Math.max(0, Math.floor(time)), UNDATED)
		.toString(36)
		.padStart(TIME_LENGTH, '0');

export const timeOf = (point: Point): number => Number.parseInt(point.slice(0, TIME_LENGTH), 36);

export const hashOf = (key: SortKey): string => key.slice(TIME_LENGTH);

export const isDated = (key: SortKey): boolean => key < FIRST_UNDATED;

export const earlier = (a: Point, b: Point): Point => (a < b ? a : b);
export const later = (a: Point, b: Point): Point => (a > b ? a : b);

export const isSameMoment = (a: SortKey, b: SortKey): boolean =>
	a.slice(0, TIME_LENGTH) === b.slice(0, TIME_LENGTH);

/** As one text. */
export const writeKeys = (keys: Iterable<SortKey>): string => [...keys].join('');

export const readKeys = (text: string): SortKey[] =>
	text.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')) ?? [];

/** Whether `writeKeys` could have written it. */
export const areKeys = (value: unknown): boolean =>
	typeof value === 'string' && value.length % KEY_LENGTH === 0;

export const isPoint = (value: unknown): boolean =>
	typeof value === 'string' && [0, TIME_LENGTH, KEY_LENGTH].includes(value.length);
