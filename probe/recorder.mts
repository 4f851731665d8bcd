import { randomInt } from 'node:crypto';

import { isObject } from '../nodes/LicensingData/licenses/text.ts';
import type { Redactor } from '../nodes/LicensingData/service/redactor.ts';
import { ABOUT_LIMITS, type Answer, type Query } from './client.mts';
import { readable } from './cursorText.mts';

/** One question and its answer, with made-up names. */
export interface Exchange {
	path: string;
	query: Query;
	/** True if it was asked with a key that the service knows. */
	isKeyKnown: boolean;
	status: number;
	headers: Record<string, string>;
	/** Missing if the answer was no JSON. */
	body?: unknown;
}

/** What is known by a field's name not to tell whose license it is. All other texts and numbers are replaced. */
const KEPT =
	/^(license_?type|status|event_?type|filing_?kind|license_?series|county|city|state|type|code|(\w+_?)?(date|timestamp)|total|limit|offset|page|count)$/i;
const LONGEST_KEPT = 40;
const DATE = /^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-][\d:]+)?)?$/;
const POSITION = /^(lat|lng|lon|latitude|longitude)$/i;
const CODE = /^(id|license_?number)$/i;
const CURSOR = /cursor$/i;
const ZIP = /^(zip|postal_?code)$/i;
const WORD = /\p{L}+|\d+/gu;
const HEADERS = /^(content-type|cache-control|www-authenticate)$/;
/** Shorter ones are in any text. */
const TELLING = 5;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const random = (from: string): string => from[randomInt(from.length)]!;
const shaped = (text: string): string =>
	text
		.replace(/\d/g, () => random('123456789'))
		.replace(/\p{Lu}/gu, () => random(LETTERS).toUpperCase())
		.replace(/(?!\p{Lu})\p{L}/gu, () => random(LETTERS));
/** With an x in front, since no city in Florida begins with one. Cities stay, and are searched for beside names. */
const madeUpWord = (word: string): string =>
	shaped(word).replace(/^\p{L}/u, (first) => (first === first.toUpperCase() ? 'X' : 'x'));
/** BEV and lic_ stay: they stand for a type, and for all. */
const madeUpCode = (code: string): string =>
	code.replace(/^([a-z]+_|[A-Z]{1,4}(?=\d))?(.+)$/s, (_, kind = '', rest) => kind + shaped(rest));

/**
 * Keeps what a service answers, for tests, with made-up names, numbers and streets. The probe itself is shown these, so
 * that it asks in them, too: whoever replays the answers is asked the same. The same text becomes the same everywhere.
 */
export class Recorder {
	readonly exchanges: Exchange[] = [];
	private readonly madeUp = new Map<string, string>();
	private readonly originals = new Map<string, string>();
	private readonly searched: string[] = [];

	constructor(private readonly redactor: Redactor) {}

	/** What to send to the service for what the probe asks. */
	revealed(path: string, query: Query): [path: string, query: Query] {
		const original = (text: string): string => this.originals.get(text) ?? text;
		const ofName: Record<string, (text: string) => string> = {
			cursor: original,
			q: (text) => text.replace(WORD, (word) => this.searchedWord(word)),
		};
		const sent = Object.entries(query).map(([name, value]) => [
			name,
			typeof value === 'string' ? (ofName[name]?.(value) ?? value) : value,
		]);
		const asked = path.replace(/[^/]+$/, (last) =>
			encodeURIComponent(original(decodeURIComponent(last))),
		);
		return [asked, Object.fromEntries(sent) as Query];
	}

	/** Keeps an answer, and returns it as it is kept. */
	keep(path: string, query: Query, isKeyKnown: boolean, { status, headers, body }: Answer): Answer {
		// Once in vain, since a cursor may hold a name that comes after it.
		this.disguised(body);
		const shown = this.disguised(body);
		const kept = [...headers]
			.filter(([name]) => HEADERS.test(name) || ABOUT_LIMITS.test(name))
			.map(([name, value]) => [name, this.redactor.redact(value)]);
		if (headers.has('x-request-id')) kept.push(['x-request-id', 'made-up']);
		const limited = Object.fromEntries(kept) as Record<string, string>;
		this.exchanges.push({ path, query, isKeyKnown, status, headers: limited, body: shown });
		return { status, headers: new Headers(limited), body: shown };
	}

	toString(): string {
		const text = JSON.stringify(this.exchanges, undefined, '\t');
		if (this.redactor.reveals(text)) throw new Error('The answers hold the key, so none are kept');
		return text;
	}

	private searchedWord(word: string): string {
		const known = this.originals.get(word);
		if (known !== undefined) this.searched.push(word);
		// The probe also searches for the beginning of a word that it has searched for.
		const whole = known ?? this.searched.find((one) => one.startsWith(word));
		if (known !== undefined || whole === undefined) return known ?? word;
		return this.originals.get(whole)!.slice(0, word.length - whole.length);
	}

	private disguised(value: unknown, field = ''): unknown {
		if (Array.isArray(value)) return value.map((one) => this.disguised(one, field));
		if (isObject(value))
			return Object.fromEntries(
				Object.entries(value).map(([name, inner]) => [
					/^\w+$/.test(name) ? name : this.words(name),
					this.disguised(inner, name),
				]),
			);
		if (typeof value === 'string') return this.text(this.redactor.redact(value), field);
		if (typeof value !== 'number' || KEPT.test(field)) return value;
		return POSITION.test(field)
			? Math.round(value * 10) / 10
			: Number(this.text(String(value), field));
	}

	private text(text: string, field: string): string {
		if (DATE.test(text) || (KEPT.test(field) && text.length <= LONGEST_KEPT)) return text;
		if (CURSOR.test(field)) return this.isCounting(text) ? text : this.standIn(text, shaped);
		if (CODE.test(field)) return this.standIn(text, madeUpCode);
		if (ZIP.test(field)) return text.slice(0, 5) + this.words(text.slice(5));
		if (/^https?:/i.test(text)) return `https://example.com/${this.words(text.slice(8))}`;
		return this.words(text);
	}

	/** A cursor whose text can be read, and says nothing of a license. */
	private isCounting(cursor: string): boolean {
		const text = readable(cursor) ?? '';
		const names = [...this.madeUp.keys()].filter(({ length }) => length >= TELLING);
		return text !== '' && !names.some((name) => text.includes(name));
	}

	private words(text: string): string {
		return text.replace(WORD, (word) => this.standIn(word, madeUpWord));
	}

	private standIn(text: string, make: (text: string) => string): string {
		const known = this.madeUp.get(text);
		if (known !== undefined) return known;
		let made = make(text);
		// Of short texts there are few. Then it becomes longer.
		for (let tries = 0; this.originals.has(made); tries++)
			made = make(text + text.slice(-1).repeat(tries / 20));
		this.madeUp.set(text, made);
		this.originals.set(made, text);
		return made;
	}
}
