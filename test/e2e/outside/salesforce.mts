import type { Call } from './world.mts';

/** Leads by their external ID. */
export class Salesforce {
	readonly leads = new Map<string, Record<string, unknown>>();

	answer({ method, path, body }: Call): unknown {
		const [, id] = /\/sobjects\/lead\/License_ID__c\/(.+)$/.exec(path) ?? [];
		if (method !== 'PATCH' || !id) return undefined;
		const created = !this.leads.has(id);
		this.leads.set(id, { ...this.leads.get(id), ...(body as object) });
		return { id, success: true, errors: [], created };
	}
}
