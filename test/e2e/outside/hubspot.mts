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

interface Search {
	filterGroups: [{ filters: Array<{ propertyName: string; operator: string; value?: string }> }];
	limit: number;
}

/** Companies and contacts, with the properties whose values HubSpot was told to keep unique. */
export class HubSpot {
	readonly companies = new Objects(['license_id'], 1000);
	readonly contacts = new Objects(['license_holder'], 2000);
	/** Contact and company, each link only once. */
	readonly links = new Set<string>();

	answer({ method, path, body }: Call): unknown {
		const [, kind = '', operation] =
			/^\/crm\/v3\/objects\/(companies|contacts)\/(search|batch\/\w+)$/.exec(path) ?? [];
		const objects = { companies: this.companies, contacts: this.contacts }[kind];
		if (method === 'POST' && operation === 'batch/read') return objects?.read(body);
		if (method === 'POST' && operation === 'batch/upsert') return objects?.upsert(body);
		if (method === 'POST' && operation === 'batch/update') return objects?.update(body);
		if (method === 'POST' && operation === 'search') return objects?.search(body);
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

	/** The first of those to which all filters apply. */
	search(body: unknown): unknown {
		const { filterGroups, limit } = body as Search;
		const found = this.all.filter(({ id, properties }) =>
			filterGroups[0].filters.every(({ propertyName, operator, value }) =>
				operator === 'GT'
					? Number(id) > Number(value)
					: Boolean(properties[propertyName]) === (operator === 'HAS_PROPERTY'),
			),
		);
		return { total: found.length, results: found.slice(0, limit) };
	}

	update(body: unknown): unknown {
		const [{ id, properties }] = (body as { inputs: [Input] }).inputs;
		const known = this.all.find((one) => one.id === String(id));
		if (!known || this.isTaken(properties, known)) return undefined;
		Object.assign(known.properties, properties);
		return { status: 'COMPLETE', results: [known] };
	}

	upsert(body: unknown): unknown {
		const [{ idProperty, id, properties }] = (body as { inputs: [Input] }).inputs;
		const known = this.find(idProperty, id);
		if (this.isTaken(properties, known) || !this.unique.includes(idProperty)) return undefined;
		const saved = known ?? this.create({ [idProperty]: id });
		Object.assign(saved.properties, properties);
		return { status: 'COMPLETE', results: [{ ...saved, new: known === undefined }] };
	}

	/** Whether another one has a value that has to be unique. */
	private isTaken(properties: Properties, known: Saved | undefined): boolean {
		return this.unique.some((name) => {
			const holder = properties[name] && this.find(name, properties[name]);
			return holder && holder !== known;
		});
	}

	private find = (property: string, value: string) =>
		this.all.find(({ properties }) => properties[property] === value);
}
