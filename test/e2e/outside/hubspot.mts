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

	add(properties: Properties, objects = this.companies): Saved {
		const saved = { id: String(objects.length + 1), properties };
		objects.push(saved);
		return saved;
	}

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
			case '/crm/v3/objects/companies/batch/update': {
				const [{ id, properties }] = (body as Sent).inputs;
				const known = this.companies.find((one) => one.id === String(id));
				Object.assign(known?.properties ?? {}, properties);
				return known && { status: 'COMPLETE', results: [known] };
			}
			case '/crm/v3/objects/companies/search':
				return { results: this.withoutLicense(body) };
			default:
				return undefined;
		}
	}

	private upsert(objects: Saved[], { inputs: [{ idProperty, id, properties }] }: Sent) {
		const known = objects.find((one) => one.properties[idProperty] === id);
		const saved = known ?? this.add({ [idProperty]: id }, objects);
		Object.assign(saved.properties, properties);
		return { status: 'COMPLETE', results: [{ ...saved, new: known === undefined }] };
	}

	/** The one search that there is: companies with a name and no license, after a certain one. */
	private withoutLicense(body: unknown): Saved[] {
		const { filters } = (body as { filterGroups: [{ filters: Array<{ value?: string }> }] })
			.filterGroups[0];
		const after = Number(filters.at(-1)?.value);
		return this.companies.filter(
			({ id, properties }) => Number(id) > after && properties.name && !properties.license_id,
		);
	}
}
