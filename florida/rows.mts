import { isOutgoing, UNKNOWN } from './codes.mts';
import { dayFrom } from './calendar.mts';
import { readFile, type FileRead } from './csv.mts';
import { isSameHolder } from './holder.mts';
import { factsFrom, type Facts, type Kept } from './license.mts';
import type { Dated } from './memory.mts';
import type { Source } from './sources.mts';

export interface FileContent extends FileRead {
	/** By number; of a number that stands there twice, the row of the incoming holder. */
	licenses: Map<string, Facts>;
	dated: Map<string, Dated>;
	leftOut: Record<string, number>;
	unknownCodes: Record<string, number>;
}

/** All that one of the state's files says, as far as it matters here. */
export async function contentOf(
	path: string,
	source: Source,
	kept: ReadonlyMap<string, Kept>,
): Promise<FileContent> {
	const { kind } = source;
	const licenses = new Map<string, Facts>();
	const dated = new Map<string, Dated>();
	const leftOut: Record<string, number> = {};
	const unknownCodes: Record<string, number> = {};
	const read = await readFile(path, source, (row) => {
		if (kind === 'approvals' || kind === 'transfers') {
			const number = row('License Number').toUpperCase();
			const date = dayFrom(row('Application Approval Date'));
			const known = dated.get(number);
			if (number === '' || date === null) count(leftOut, 'no license number, or no date');
			else if (!known || known.date <= date)
				dated.set(number, { number, date, holder: row('Licensee Name'), isSpent: false });
			return;
		}
		const facts = factsFrom(kind, row);
		if ('reason' in facts) return count(leftOut, facts.reason);
		if (facts.status === UNKNOWN) count(unknownCodes, facts.codes);
		const other = licenses.get(facts.number);
		if (other) count(leftOut, 'second row of a license');
		const own = kept.get(facts.number);
		const chosen = other ? incoming(kind, other, facts, own) : facts;
		// Strings of a row hold on to all of its line; what has not changed is remembered already.
		licenses.set(facts.number, own && isWithin(chosen, own) ? own : copied(chosen));
	});
	if (read.misfits > 0) leftOut['line does not fit'] = read.misfits;
	return { ...read, licenses, dated, leftOut, unknownCodes };
}

export const count = (counts: Record<string, number>, name: string): void => {
	counts[name] = (counts[name] ?? 0) + 1;
};

const copied = <Value,>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Of two rows of a number: not the outgoing holder's, then the later term, then who has it, then the newest. */
function incoming(kind: 'liquor' | 'food', one: Facts, other: Facts, own: Kept | undefined): Facts {
	const ranks = ({ codes, expires, holder }: Facts): string[] => [
		String(Number(!isOutgoing(kind, codes))),
		expires ?? '',
		String(Number(own !== undefined && isSameHolder(own.holder, holder))),
	];
	const [first, second] = [ranks(one), ranks(other)];
	const at = first.findIndex((rank, place) => rank !== second[place]);
	return at >= 0 && first[at]! > second[at]! ? one : other;
}

/** Whether the second has all that the first has. */
export const isWithin = <Value extends object>(one: Value, other: Value): boolean =>
	(Object.keys(one) as Array<keyof Value>).every((key) => one[key] === other[key]);
