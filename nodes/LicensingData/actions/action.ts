import type { INodeProperties } from 'n8n-workflow';

import type { Service } from '../api/request';
import type { Filter, FilterValues } from '../fields/filter';
import { readFilters } from '../fields/filter';
import type { License } from '../license/license';

/** Reads a parameter of the item at hand; raw, an expression stays as it was written. */
export type ReadParameter = (name: string, fallback?: unknown, isRaw?: boolean) => unknown;

/** What an action may know of the execution that it runs in. */
export interface Circumstances {
	/** How many requests may be on their way at once; absent where the node finds that out. */
	parallelRequests?: number;
	/** Leaves a line for whoever looks after the n8n installation. */
	log(line: string): void;
	/** Leaves a line above the output for the user. */
	hint(line: string): void;
}

/** One operation of the License resource: what it asks the user, and what it then asks the service. */
export interface Action<Plan = unknown> {
	fields: INodeProperties[];
	/** Turns parameters into plain data, or refuses. Items with equal plans share one run. */
	plan(read: ReadParameter): Plan;
	/** Brings licenses in pieces, so that a long list becomes items while the rest is on its way. */
	run(service: Service, plan: Plan, circumstances: Circumstances): AsyncIterable<License[]>;
}

export const showFor = (...operations: string[]) => ({
	show: { resource: ['license'], operation: operations },
});

/** Reads the collection 'Filters'. */
export function readCollection(filters: readonly Filter[], read: ReadParameter): FilterValues {
	const values = read('filters', {}) as Record<string, unknown>;
	const raw = read('filters', {}, true) as Record<string, unknown>;
	return readFilters(
		filters,
		(name) => values[name],
		(name) => raw[name],
	);
}
