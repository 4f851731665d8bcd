import type { Entered, Plan } from './results.mts';

/** If so many tests, or so much work, have not noticed a mutant, more would hardly do. A second is some 10 million. */
const ENOUGH = { tests: 20, work: 10_000_000 };

interface Candidate {
	id: string;
	work: number;
	round: number;
}

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);

/**
 * Each mutant is tried by one test of each file that enters it, then by a second of each, and so on; of a file, those
 * that enter least come first, since they look closest. Counted in entries, not in time, so that a busy machine comes
 * to the same.
 */
export function planFor(tests: readonly Entered[], wanted: ReadonlySet<string>): Plan {
	const byWork = tests
		.map((test) => ({ ...test, work: sum(Object.values(test.hits)) }))
		.sort((one, other) => one.work - other.work || (one.id < other.id ? -1 : 1));
	const candidates = new Map<string, Candidate[]>();
	const rounds = new Map<string, number>();
	for (const { id, file, hits, work } of byWork) {
		for (const mutant of Object.keys(hits).filter((id) => wanted.has(id))) {
			const round = rounds.get(`${mutant} ${file}`) ?? 0;
			rounds.set(`${mutant} ${file}`, round + 1);
			if (round >= ENOUGH.tests) continue;
			const known = candidates.get(mutant);
			if (known) known.push({ id, work, round });
			else candidates.set(mutant, [{ id, work, round }]);
		}
	}
	const plan: Plan = {};
	for (const [mutant, all] of candidates) {
		let work = 0;
		const inTurn = all.sort((one, other) => one.round - other.round || one.work - other.work);
		for (const one of inTurn.slice(0, ENOUGH.tests)) {
			if (work > 0 && work + one.work > ENOUGH.work) continue;
			work += one.work;
			(plan[one.id] ??= []).push(mutant);
		}
	}
	return plan;
}
