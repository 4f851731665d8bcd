import { hasOtherHolder } from './compare.mts';
import type { Facts, Kept } from './license.mts';
import type { HeldFile, SourceState } from './memory.mts';

type Hold = Pick<HeldFile, 'what' | 'why'> & { isAgreed: boolean };

/** More is missing, or has another holder, than happens between two files: then a second one has to agree. */
const FEWER = 0.97;
const FEWEST = 0.5;
const MISSING = 0.1;
const OTHER_HOLDERS = 0.2;
/** So much of what one file lacks does the next lack too, if it agrees. */
const AGREEING = 0.9;

/** Why endings and changes of holder of a file are not taken yet. */
export function holdOf(
	before: SourceState,
	content: { rows: number; licenses: ReadonlyMap<string, Facts> },
	known: readonly Kept[],
): Hold | undefined {
	const { rows, licenses } = content;
	const present = known.filter(({ number }) => licenses.has(number));
	const missing = known.length - present.length;
	const others = present.filter((one) => hasOtherHolder(one, licenses.get(one.number)!)).length;
	const { held } = before;
	if (others > present.length * OTHER_HOLDERS)
		return {
			what: 'holders',
			why: `${others} of ${present.length} licenses have another holder`,
			isAgreed: held?.what === 'holders',
		};
	if (
		rows >= before.rows * FEWER &&
		rows >= before.firstRows * FEWEST &&
		missing <= known.length * MISSING
	)
		return undefined;
	const lackedBefore = known.filter(({ goneIn }) => goneIn === held?.hash);
	const lackedAgain = lackedBefore.filter(({ number }) => !licenses.has(number));
	return {
		what: 'endings',
		why: `${rows} rows where there were ${before.rows}, and ${missing} licenses are missing`,
		isAgreed: held?.what === 'endings' && lackedAgain.length >= lackedBefore.length * AGREEING,
	};
}
