import { hash } from 'node:crypto';

import { identityOf, type EventRecord } from '../../licenses/eventIdentity';

/** An event's identity in ten characters: six of its subject, four of its detail. */
export type EventKey = string;

const SUBJECT_LENGTH = 6;
const KEY_LENGTH = 10;

/** The detail of a record that does not say it. No hash has dots in it. */
const NO_DETAIL = '....';

const shortHash = (text: string, length: number): string =>
	hash('sha256', text, 'base64url').slice(0, length);

export function eventKeyOf(record: EventRecord): EventKey {
	const { subject, detail } = identityOf(record);
	return (
		shortHash(subject, SUBJECT_LENGTH) +
		(detail === null ? NO_DETAIL : shortHash(detail, KEY_LENGTH - SUBJECT_LENGTH))
	);
}

/** As one text. */
export const writeKeys = (keys: Iterable<EventKey>): string => [...keys].join('');

export const readKeys = (text: string): EventKey[] =>
	text.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')) ?? [];

/** How many a text holds. */
export const countKeys = (text: string): number => text.length / KEY_LENGTH;

/** No more than so many of them: the last. */
export const lastKeys = (text: string, most: number): string =>
	text.slice(Math.max(0, text.length - most * KEY_LENGTH));

/**
 * The one of them that is the same event. Where a record lacks its detail, such as a license its holder, it is any of
 * its subject that is known; and what was known without one is the first that comes with it.
 */
export function findKey(
	keys: ReadonlySet<EventKey> | ReadonlyMap<EventKey, unknown>,
	key: EventKey,
	oneOf = (subject: string) => [...keys.keys()].find((known) => known.startsWith(subject)),
): EventKey | undefined {
	if (keys.has(key)) return key;
	const subject = key.slice(0, SUBJECT_LENGTH);
	const withoutDetail = subject + NO_DETAIL;
	if (keys.has(withoutDetail)) return withoutDetail;
	return key === withoutDetail ? oneOf(subject) : undefined;
}

/** The events that a list has shown. What was met longest ago comes first, and is forgotten first. */
export class Seen {
	private readonly keys = new Set<EventKey>();
	/** One of them for each subject. A service may send thousands of records without their detail. */
	private readonly bySubject = new Map<string, EventKey>();

	constructor(text: string) {
		for (const key of readKeys(text)) this.add(key);
	}

	write(most: number, isLeftOut: (key: EventKey) => boolean): string {
		return lastKeys(writeKeys([...this.keys].filter((key) => !isLeftOut(key))), most);
	}

	/** The key under which an event is known; undefined if it is not. */
	find(key: EventKey): EventKey | undefined {
		return findKey(this.keys, key, (subject) => this.bySubject.get(subject));
	}

	/** A detail that was filled in replaces the missing one. */
	meet(key: EventKey): void {
		const known = this.find(key) ?? key;
		this.keys.delete(known);
		this.add(known.endsWith(NO_DETAIL) ? key : known);
	}

	private add(key: EventKey): void {
		this.keys.add(key);
		this.bySubject.set(key.slice(0, SUBJECT_LENGTH), key);
	}
}
