import type { Entered, Plan } from './results.mts';

/** So many tests, or so much work, a mutant is worth; a second is some 10 million. */
export const A_FEW = { tests: 20, work: 10_000_000 };
export const ALL = { tests: Infinity, work: Infinity };

interface Candidate {
	id: string;
	work: number;
	file: string;
	/** Of those of the same file that enter the mutant, least work first. */
	index: number;
}

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);

/**
 * Each mutant is tried by one test of each file that enters it, then by a second of each, and so on: in turn the one
 * that enters least, since it looks closest, and the one that enters most, since it sees what comes of it. Counted in
 * entries, not in time, so that a busy machine comes to the same.
 */
export function planFor(
	tests: readonly Entered[],
	mutants: ReadonlyArray<{ id: string }>,
	enough: typeof ALL,
): Plan {
	const wanted = new Set(mutants.map(({ id }) => id));
	const byWork = tests
		.map((test) => ({ ...test, work: sum(Object.values(test.hits)) }))
		.sort((one, other) => one.work - other.work || (one.id < other.id ? -1 : 1));
	const candidates = new Map<string, Candidate[]>();
	const counts = new Map<string, number>();
	for (const { id, file, hits, work } of byWork) {
		for (const mutant of Object.keys(hits).filter((one) => wanted.has(one))) {
			const index = counts.get(`${mutant} ${file}`) ?? 0;
			counts.set(`${mutant} ${file}`, index + 1);
			const known = candidates.get(mutant);
			if (known) known.push({ id, work, file, index });
			else candidates.set(mutant, [{ id, work, file, index }]);
		}
	}
	const plan: Plan = {};
	for (const [mutant, all] of candidates) {
		const turnOf = ({ file, index }: Candidate) =>
			Math.min(2 * index, 2 * ((counts.get(`${mutant} ${file}`) ?? 0) - index) - 1);
		const inTurn = all.sort((one, other) => turnOf(one) - turnOf(other) || one.work - other.work);
		let work = 0;
		let tried = 0;
		for (const one of inTurn) {
			if (tried === enough.tests) break;
			if (work > 0 && work + one.work > enough.work) continue;
			tried++;
			work += one.work;
			(plan[one.id] ??= []).push(mutant);
		}
	}
	return plan;
}
