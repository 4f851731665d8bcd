import { hash } from 'node:crypto';

import { identityOf } from '../licenses/identity';
import type { License } from '../licenses/license';

/** A hash of what an event is known by, in six characters. */
export type Key = string;
export const KEY_LENGTH = 6;

/** As one text. */
export type Keys = string;

/** What an event is remembered by, and what it is known by: see `identityOf`. */
export interface EventKeys {
	keys: Key[];
	knownBy: Key[];
}

export function keysOf(record: License): EventKeys {
	const { keys, knownBy } = identityOf(record);
	const own = keys.map(toKey);
	return { keys: own, knownBy: knownBy === keys ? own : knownBy.map(toKey) };
}

const toKey = (text: string): Key => hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);

export const firstOf = ({ keys }: EventKeys): Key => String(keys[0]);

export const writeKeys = (keys: Iterable<Key>): Keys => [...keys].join('');

export const readKeys = (text: Keys): Key[] =>
	text.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')) ?? [];

/** The events that the lists have shown. What was shown longest ago comes first, and is forgotten first. */
export class Seen {
	private readonly keys: Set<Key>;

	constructor(text: Keys) {
		this.keys = new Set(readKeys(text));
	}

	has({ knownBy }: EventKeys): boolean {
		return knownBy.some((key) => this.keys.has(key));
	}

	add(keys: Key[]): void {
		for (const key of keys) {
			this.keys.delete(key);
			this.keys.add(key);
		}
	}

	/** No more than so many, and none of those that are to be found again. */
	write(most: number, leftOut: Set<Key>): Keys {
		const kept = [...this.keys].filter((key) => !leftOut.has(key));
		return writeKeys(kept.slice(Math.max(0, kept.length - most)));
	}
}
