import type { Call } from './world.mts';

type Properties = Record<string, string>;

interface Saved {
	id: string;
	properties: Properties;
}

interface Input {
	idProperty: string;
	id: string;
	properties: Properties;
}

/** Companies and contacts, with the properties whose values HubSpot was told to keep unique. */
export class HubSpot {
	readonly companies = new Objects(['license_id', 'license_venue'], 1000);
	readonly contacts = new Objects(['license_holder'], 2000);
	/** Contact and company, each link only once. */
	readonly links = new Set<string>();

	answer({ method, path, body }: Call): unknown {
		const [, kind = '', operation] =
			/^\/crm\/v3\/objects\/(companies|contacts)\/batch\/(read|upsert)$/.exec(path) ?? [];
		const objects = { companies: this.companies, contacts: this.contacts }[kind];
		if (method === 'POST' && operation === 'read') return objects?.read(body);
		if (method === 'POST' && operation === 'upsert') return objects?.upsert(body);
		const link = /^\/crm\/v4\/objects\/contacts\/(\d+)\/associations\/default\/companies\/(\d+)$/;
		const [, contact, company] = link.exec(path) ?? [];
		if (method !== 'PUT' || !contact) return undefined;
		this.links.add(`${contact} ${company}`);
		return { status: 'COMPLETE', results: [] };
	}
}

class Objects {
	readonly all: Saved[] = [];

	constructor(
		private readonly unique: string[],
		private lastId: number,
	) {}

	create(properties: Properties): Saved {
		const saved = { id: String(++this.lastId), properties };
		this.all.push(saved);
		return saved;
	}

	read(body: unknown): unknown {
		const { idProperty, inputs } = body as { idProperty: string; inputs: Array<{ id: string }> };
		const results = inputs.flatMap(({ id }) => this.find(idProperty, id) ?? []);
		return this.unique.includes(idProperty) ? { status: 'COMPLETE', results } : undefined;
	}

	upsert(body: unknown): unknown {
		const [{ idProperty, id, properties }] = (body as { inputs: [Input] }).inputs;
		const known = this.find(idProperty, id);
		const isTaken = this.unique.some((name) => {
			const holder = properties[name] && this.find(name, properties[name]);
			return holder && holder !== known;
		});
		if (isTaken || !this.unique.includes(idProperty)) return undefined;
		const saved = known ?? this.create({ [idProperty]: id });
		Object.assign(saved.properties, properties);
		return { status: 'COMPLETE', results: [{ ...saved, new: known === undefined }] };
	}

	private find = (property: string, value: string) =>
		this.all.find(({ properties }) => properties[property] === value);
}
