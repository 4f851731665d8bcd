import { hash } from 'node:crypto';

import { identityOf, type EventRecord } from '../../domain/eventIdentity';

/** An event's identity in ten characters: six of its subject, four of its detail. */
export type EventKey = string;

const SUBJECT_LENGTH = 6;
const KEY_LENGTH = 10;
const DAY_LENGTH = 3;

/** The detail of a record that does not say it. No hash has dots in it. */
const NO_DETAIL = '....';

const DAY = 86_400_000;
const LAST_DAY = 36 ** DAY_LENGTH - 1;

const shortHash = (text: string, length: number): string =>
	hash('sha256', text, 'base64url').slice(0, length);

export function eventKeyOf(record: EventRecord): EventKey {
	const { subject, detail } = identityOf(record);
	return (
		shortHash(subject, SUBJECT_LENGTH) +
		(detail === null ? NO_DETAIL : shortHash(detail, KEY_LENGTH - SUBJECT_LENGTH))
	);
}

const dayOf = (time: number): number => Math.min(Math.max(0, Math.floor(time / DAY)), LAST_DAY);

const subjectOf = (key: EventKey): string => key.slice(0, SUBJECT_LENGTH);

/** As one text. */
export const writeKeys = (keys: Iterable<EventKey>): string => [...keys].join('');

export const readKeys = (text: string): EventKey[] => pieces(text, KEY_LENGTH);

export const areKeys = (value: unknown): boolean => isMadeOf(value, KEY_LENGTH);

export const areSeen = (value: unknown): boolean => isMadeOf(value, KEY_LENGTH + DAY_LENGTH);

const isMadeOf = (value: unknown, length: number): boolean =>
	typeof value === 'string' && value.length % length === 0;

const pieces = (text: string, length: number): string[] =>
	text.match(new RegExp(`.{${length}}`, 'g')) ?? [];

/** The events that a list has shown, each with the day on which it was last met. */
export class Seen {
	private readonly days = new Map<EventKey, number>();
	/** Made when it is first needed: hardly any record comes without its detail. */
	private bySubject: Map<string, EventKey> | undefined;

	/** As `write` wrote it. A day that is still to come was written while a clock was wrong. */
	static read(text: string, now: number): Seen {
		const seen = new Seen();
		for (const piece of pieces(text, KEY_LENGTH + DAY_LENGTH)) {
			const day = Number.parseInt(piece.slice(KEY_LENGTH), 36);
			seen.days.set(piece.slice(0, KEY_LENGTH), Math.min(day, dayOf(now)));
		}
		return seen;
	}

	/** How many a text holds. */
	static count(text: string): number {
		return text.length / (KEY_LENGTH + DAY_LENGTH);
	}

	/** Of a text, those that were met last. */
	static latest(text: string, most: number): string {
		return text.slice(Math.max(0, text.length - most * (KEY_LENGTH + DAY_LENGTH)));
	}

	/** Oldest first; no more than the `most` that were met last. */
	write(most: number, isLeftOut: (key: EventKey) => boolean): string {
		const entries = [...this.days].filter(([key]) => !isLeftOut(key)).sort(([, a], [, b]) => a - b);
		return entries
			.slice(Math.max(0, entries.length - most))
			.map(([key, day]) => key + day.toString(36).padStart(DAY_LENGTH, '0'))
			.join('');
	}

	/**
	 * The key under which an event is known; undefined if it is not. Where a record lacks its detail, such as a license
	 * its holder, it is the one that is known; and what was known without one is the first that comes with it.
	 */
	find(key: EventKey): EventKey | undefined {
		if (this.days.has(key)) return key;
		const subject = subjectOf(key);
		const withoutDetail = subject + NO_DETAIL;
		if (this.days.has(withoutDetail)) return withoutDetail;
		return key === withoutDetail ? this.keysBySubject().get(subject) : undefined;
	}

	/** Met at this time. A detail that was filled in replaces the missing one. */
	meet(key: EventKey, now: number): void {
		const known = this.find(key) ?? key;
		const isFilledIn = known !== key && known.endsWith(NO_DETAIL);
		const met = isFilledIn ? key : known;
		// Of what was met on one day, too, what was met last is forgotten last.
		this.days.delete(known);
		this.days.set(met, dayOf(now));
		this.bySubject?.set(subjectOf(met), met);
	}

	forget(key: EventKey): void {
		this.days.delete(key);
		this.bySubject = undefined;
	}

	private keysBySubject(): Map<string, EventKey> {
		return (this.bySubject ??= new Map([...this.days.keys()].map((key) => [subjectOf(key), key])));
	}
}
