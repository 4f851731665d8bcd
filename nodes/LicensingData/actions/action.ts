import type { INodeProperties } from 'n8n-workflow';

import type { Service } from '../transport/request';
import type { Filter, FilterValues } from '../parameters/filter';
import { readFilters } from '../parameters/filter';
import type { License } from '../domain/license';

/** Reads a parameter of the item at hand; raw, an expression stays as it was written. */
export type ReadParameter = (name: string, fallback?: unknown, isRaw?: boolean) => unknown;

/** What an action may know about the execution it runs in. */
export interface Circumstances {
	/** How many requests may be in flight at once; if absent, the node finds out by itself. */
	parallelRequests?: number;
	/** Writes a line to n8n's log, for whoever runs n8n. */
	log(line: string): void;
	/** Shows the user a line above the output. */
	hint(line: string): void;
}

/** One operation of the License resource: what it asks the user for, and then the service. */
export interface Action<Plan = unknown> {
	fields: INodeProperties[];
	/** Turns the parameters into plain data, or refuses them. Items with equal plans share one run. */
	plan(read: ReadParameter): Plan;
	/** Yields licenses in batches, so that a long list becomes items while the rest is still coming in. */
	run(service: Service, plan: Plan, circumstances: Circumstances): AsyncIterable<License[]>;
}

export const showFor = (...operations: string[]) => ({
	show: { resource: ['license'], operation: operations },
});

/** Reads the 'Filters' collection. */
export function readCollection(filters: readonly Filter[], read: ReadParameter): FilterValues {
	const values = read('filters', {}) as Record<string, unknown>;
	const raw = read('filters', {}, true) as Record<string, unknown>;
	return readFilters(
		filters,
		(name) => values[name],
		(name) => raw[name],
	);
}
