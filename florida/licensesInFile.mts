import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { Refusal, rowsOf, type Row } from './csvFile.mts';
import { dayFrom } from './days.mts';
import { isSameHolder } from './holder.mts';
import { isOutgoing, UNKNOWN } from './licenseCodes.mts';
import { factsFrom, type Facts, type Kept } from './licenseFromRow.mts';
import type { Dates } from './memory.mts';
import { sourceOf } from './sources.mts';

/** A file to read, and the day that it shows. */
export interface Input {
	source: string;
	path: string;
	day: string;
}

export type Content = Awaited<ReturnType<typeof contentOf>>;

/** All that one of the state's files says, as far as it matters here. */
export async function contentOf(input: Input, known: ReadonlyMap<string, Kept>) {
	const bytes = await readFile(input.path);
	const source = sourceOf(input.source);
	const hash = createHash('sha256').update(bytes).digest('hex');
	/** By number; of a number that stands there twice, the row of the incoming holder. */
	const licenses = new Map<string, Facts>();
	/** What a dated file says of a number. */
	const dated = new Map<string, Dates[string]>();
	const unknownCodes: Record<string, number> = {};
	// Each returns why a row is left out.
	const takeDated = (row: Row): string | undefined => {
		const number = row('License Number').toUpperCase();
		const date = dayFrom(row('Application Approval Date'));
		if (number === '' || date === null) return 'no license number, or no date';
		if (date >= (dated.get(number)?.date ?? ''))
			dated.set(number, copied({ date, holder: row('Licensee Name') }));
		return undefined;
	};
	const takeLicense = (kind: 'liquor' | 'food', row: Row): string | undefined => {
		const facts = factsFrom(kind, row);
		const { number, type, status, codes } = facts;
		if (number === '') return 'no license number';
		if (type === '') return 'permit for a few days';
		if (status === UNKNOWN) count(unknownCodes, codes);
		const [own, other] = [known.get(number), licenses.get(number)];
		const chosen = other ? incoming(kind, other, facts, own) : facts;
		// What has not changed is remembered already.
		licenses.set(number, own && isWithin(chosen, own) ? own : copied(chosen));
		return other && 'second row of a license';
	};
	const leftOut: Record<string, number> = {};
	const { kind } = source;
	let rows = 0;
	for (const row of rowsOf(bytes, source)) {
		if (row) rows++;
		const reason = !row ? MISFIT : kind === 'dated' ? takeDated(row) : takeLicense(kind, row);
		if (reason !== undefined) count(leftOut, reason);
	}
	const misfits = leftOut[MISFIT] ?? 0;
	if (misfits * 200 > rows + misfits)
		throw new Refusal(`has ${misfits} lines that do not fit, of ${rows + misfits}`);
	return { ...input, hash, rows, licenses, dated, leftOut, unknownCodes };
}

const MISFIT = 'line does not fit';

export const count = (counts: Record<string, number>, name: string, by = 1): void => {
	counts[name] = (counts[name] ?? 0) + by;
};

/** Texts of a row hold on to all of its line. */
const copied = <Value,>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Of two rows of a number: not the outgoing holder's, then the later term, then who has it, then the newest. */
function incoming(kind: 'liquor' | 'food', one: Facts, other: Facts, own: Kept | undefined): Facts {
	const rank = ({ codes, expires, holder }: Facts): string => {
		const isOwn = own !== undefined && isSameHolder(own.holder, holder);
		return `${Number(!isOutgoing(kind, codes))} ${expires ?? '0000-00-00'} ${Number(isOwn)}`;
	};
	return rank(one) > rank(other) ? one : other;
}

/** Tells whether the second has all that the first has. */
export const isWithin = <Value extends object>(one: Value, other: Value): boolean =>
	(Object.keys(one) as Array<keyof Value>).every((key) => one[key] === other[key]);
