import type { License } from '../api/types';
import { Doubt } from './doubt';

/** Below zero where the first stands before the second, zero where it cannot tell. */
export type Rule = (a: License, b: License) => number;

export interface Decisions {
	rule: Rule;
	/** Whether the list has shown since, after the rule was used, that it goes by another one. */
	isOverruled: () => boolean;
	/** Whether another rule that the list may go by would have decided otherwise. */
	isDisputed: () => boolean;
}

const closingNumber = (text: unknown): number | undefined => {
	const digits = /\d+$/.exec(String(text))?.[0];
	return digits === undefined ? undefined : Number(digits);
};

const KEYS: Array<(license: License) => string | number | null | undefined> = [
	({ id }) => id,
	({ licenseNumber }) => closingNumber(licenseNumber),
	({ id }) => closingNumber(id),
	({ licenseNumber }) => licenseNumber,
];

const RULES: Rule[] = KEYS.flatMap((key) => {
	const ascending: Rule = (a, b) => {
		const [left, right] = [key(a), key(b)];
		if (left === right || left == null || right == null) return 0;
		return left < right ? -1 : 1;
	};
	return [(a, b) => ascending(b, a), ascending];
});

/**
 * The interface says "newest first" and leaves open how records of the same moment stand. Every part
 * shows how its own do, so the rules that do not lead to that drop out one after the other.
 */
export class Order {
	private rules = RULES;

	/** Takes note of records that the service lists one after the other. */
	watch(licenses: License[]): void {
		for (const [at, later] of licenses.entries()) {
			const earlier = licenses[at - 1];
			const isTie = earlier && moment(earlier) === moment(later) && !isSameEvent(earlier, later);
			if (isTie) this.learn(earlier, later);
		}
	}

	/** A way to compare records of the same moment: by the first of the rules that are left. */
	decide(): Decisions {
		const [rule] = this.rules as [Rule];
		const disputed: Array<[License, License]> = [];
		const isClear = (a: License, b: License) => {
			const decision = rule(a, b);
			return decision !== 0 && this.rules.every((other) => other(a, b) * decision > 0);
		};
		return {
			rule(a, b) {
				if (!isClear(a, b)) disputed.push([a, b]);
				return rule(a, b);
			},
			isOverruled: () => rule !== this.rules[0],
			isDisputed: () => !disputed.every(([a, b]) => isClear(a, b)),
		};
	}

	/** Takes note of two records of the same moment that the service lists one after the other. */
	learn(earlier: License, later: License): void {
		this.rules = this.rules.filter((rule) => rule(earlier, later) < 0);
		if (this.rules.length === 0) {
			throw new Doubt('it lists records of the same moment in an order of its own');
		}
	}
}

/**
 * Microseconds, because a service may order by what Date.parse cuts off. Records without a moment
 * are taken to stand at the end; where they do not, the parts or their beginning show it.
 */
export function moment({ eventTimestamp }: License): number {
	if (eventTimestamp === null || eventTimestamp === undefined) return Number.NEGATIVE_INFINITY;
	const milliseconds = typeof eventTimestamp === 'string' ? Date.parse(eventTimestamp) : Number.NaN;
	if (Number.isNaN(milliseconds)) throw new Doubt('a record has a timestamp that is none');
	const finer = /\.\d{3}(\d{1,3})/.exec(eventTimestamp)?.[1] ?? '';
	return milliseconds * 1000 + Number(finer.padEnd(3, '0'));
}

export const isSameEvent = (a: License | undefined, b: License | undefined): boolean =>
	a?.id === b?.id && a?.eventType === b?.eventType && a?.eventTimestamp === b?.eventTimestamp;
