import type { INodeProperties } from 'n8n-workflow';

import type { Service } from '../api/request';
import type { License } from '../api/types';

/** Reads a parameter of the item at hand. */
export type ReadParameter = (name: string, fallback?: unknown) => unknown;

/** What an action may know of the execution that it runs in. */
export interface Circumstances {
	/** How many requests may be on their way at once. */
	parallelRequests: number;
	/** Leaves a line for whoever looks after the n8n installation. */
	log(line: string): void;
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
