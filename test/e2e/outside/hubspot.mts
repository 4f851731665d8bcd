import type { Call } from './world.mts';

type Properties = Record<string, string | undefined>;

interface Saved {
	id: string;
	properties: Properties;
}

interface Sent {
	inputs: [{ idProperty: string; id: string; properties: Properties }];
}

/** Companies and contacts, each found by the property that HubSpot was told to keep unique. */
export class HubSpot {
	readonly companies: Saved[] = [];
	readonly contacts: Saved[] = [];
	/** Contact and company, each link only once. */
	readonly links = new Set<string>();

	answer({ path, body }: Call): unknown {
		const link = /^\/crm\/v4\/objects\/contacts\/(\d+)\/associations\/default\/companies\/(\d+)$/;
		const [, contact, company] = link.exec(path) ?? [];
		if (contact) {
			this.links.add(`${contact} ${company}`);
			return { status: 'COMPLETE', results: [] };
		}
		switch (path) {
			case '/crm/v3/objects/companies/batch/upsert':
				return this.upsert(this.companies, body as Sent);
			case '/crm/v3/objects/contacts/batch/upsert':
				return this.upsert(this.contacts, body as Sent);
			default:
				return undefined;
		}
	}

	private upsert(objects: Saved[], { inputs: [{ idProperty, id, properties }] }: Sent) {
		const known = objects.find((one) => one.properties[idProperty] === id);
		const saved = known ?? { id: String(objects.length + 1), properties: { [idProperty]: id } };
		if (!known) objects.push(saved);
		Object.assign(saved.properties, properties);
		return { status: 'COMPLETE', results: [saved] };
	}
}
