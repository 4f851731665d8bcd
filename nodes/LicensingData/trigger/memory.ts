import { hash } from 'node:crypto';

import { identityOf, type EventIdentity } from '../licenses/identity';
import type { License } from '../licenses/license';

/** A hash of what an event is known by, in six characters. */
export type Key = string;
const KEY_LENGTH = 6;

/** What an event is remembered by, and what it is known by. */
export function keysOf(record: License): EventIdentity {
	const { keys, knownBy } = identityOf(record);
	return { keys: keys.map(toKey), knownBy: knownBy.map(toKey) };
}

const toKey = (text: string): Key => hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);

export const firstOf = ({ keys }: Pick<EventIdentity, 'keys'>): Key => String(keys[0]);

/** The events that the lists have shown. What was shown longest ago comes first, and is forgotten first. */
export class Seen {
	private readonly keys: Set<Key>;

	constructor(text: string) {
		this.keys = new Set(text.match(new RegExp(`.{${KEY_LENGTH}}`, 'g')));
	}

	has({ knownBy }: EventIdentity): boolean {
		return knownBy.some((key) => this.keys.has(key));
	}

	add(keys: Key[]): void {
		for (const key of keys) {
			this.keys.delete(key);
			this.keys.add(key);
		}
	}

	/** No more than so many, and none of those that are to be found again. */
	write(most: number, leftOut: Set<Key>): string {
		const kept = [...this.keys].filter((key) => !leftOut.has(key));
		return kept.slice(Math.max(0, kept.length - most)).join('');
	}
}
