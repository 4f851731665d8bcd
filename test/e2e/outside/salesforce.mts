import type { Call } from './world.mts';

/** As long as Salesforce lets these fields be. */
const LIMITS: Record<string, number> = {
	Company: 255,
	LastName: 80,
	Street: 255,
	City: 40,
	State: 80,
	PostalCode: 20,
	Description: 32_000,
};

/** Leads by their external ID. */
export class Salesforce {
	readonly leads = new Map<string, Record<string, unknown>>();

	answer({ method, path, body }: Call): unknown {
		const [, id] = /\/sobjects\/lead\/License_ID__c\/(.{1,64})$/.exec(path) ?? [];
		const lead = body as Record<string, unknown>;
		const fits = Object.entries(LIMITS).every(
			([field, most]) => String(lead[field] ?? '').length <= most,
		);
		if (method !== 'PATCH' || !id || !fits) return undefined;
		const created = !this.leads.has(id);
		this.leads.set(id, { ...this.leads.get(id), ...lead });
		return { id, success: true, errors: [], created };
	}
}
