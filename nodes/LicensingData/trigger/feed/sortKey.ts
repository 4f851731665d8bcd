import { eventHash, type EventRecord } from '../../domain/event';
import { momentOf } from '../../domain/moment';

/**
 * Where an event stands among all others, as a text that sorts: eight characters of time, eight of identity.
 * Comparing places with `<` orders events, and breaks ties the same way every time. So a set of places can be
 * cut anywhere, even between events of the same moment.
 */
export type Place = string;

export const PLACE_LENGTH = 16;
const TIME_LENGTH = 8;

/** The latest time that fits, in the year 2059. Events without a timestamp get it, so they come last. */
const UNDATED = 36 ** TIME_LENGTH - 1;

/** The places of undated events begin here. */
export const FIRST_UNDATED = 'z'.repeat(TIME_LENGTH);

export const placeOf = (record: EventRecord): Place =>
	startOf(momentOf(record.eventTimestamp) ?? UNDATED) + eventHash(record);

/** Sorts before every place of that time. */
export const startOf = (time: number): Place =>
	Math.min(Math.max(0, Math.floor(time)), UNDATED)
		.toString(36)
		.padStart(TIME_LENGTH, '0');

export const timeOf = (place: Place): number => Number.parseInt(place.slice(0, TIME_LENGTH), 36);

export const hashOf = (place: Place): string => place.slice(TIME_LENGTH);

export const isDated = (place: Place): boolean => place < FIRST_UNDATED;

export const isSameMoment = (a: Place, b: Place): boolean =>
	a.slice(0, TIME_LENGTH) === b.slice(0, TIME_LENGTH);

/** As one text. */
export const writePlaces = (places: Iterable<Place>): string => [...places].join('');

export const readPlaces = (text: string): Place[] =>
	text.match(new RegExp(`.{${PLACE_LENGTH}}`, 'g')) ?? [];

/** Whether `writePlaces` could have written it. */
export const isPlaces = (value: unknown): boolean =>
	typeof value === 'string' && value.length % PLACE_LENGTH === 0;

/** Whether it can be the border between history and news: a place, the start of a time, or the empty text. */
export const isBorder = (value: unknown): boolean =>
	typeof value === 'string' && [0, TIME_LENGTH, PLACE_LENGTH].includes(value.length);
