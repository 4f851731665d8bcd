import type { Call } from './world.mts';

type Fields = Record<string, unknown>;

/** What a service keeps: each record once, by some of its fields. */
class Records {
	readonly all: Fields[] = [];

	merge(fields: Fields, keys: string[]): Fields {
		const known = this.all.find((one) => keys.every((key) => one[key] === fields[key]));
		if (known) return Object.assign(known, fields);
		const record = { number: this.all.length + 1, ...fields };
		this.all.push(record);
		return record;
	}
}

/** Companies and contacts, each found by the property that HubSpot was told to keep unique. */
export class HubSpot {
	readonly companies = new Records();
	readonly contacts = new Records();
	/** The numbers of contact and company, each link only once. */
	readonly links = new Set<string>();

	answer({ path, body }: Call): unknown {
		const [, link] =
			/^\/crm\/v4\/objects\/contacts\/(\d+\/associations\/default\/companies\/\d+)$/.exec(path) ??
			[];
		if (link) {
			this.links.add(link.replace(/\D+/, ' '));
			return { status: 'COMPLETE', results: [] };
		}
		const [, kind] = /^\/crm\/v3\/objects\/(\w+)\/batch\/upsert$/.exec(path) ?? [];
		if (kind !== 'companies' && kind !== 'contacts') return undefined;
		type Sent = { inputs: [{ idProperty: string; id: string; properties: Fields }] };
		const { idProperty, id, properties } = (body as Sent).inputs[0];
		const saved = this[kind].merge({ [idProperty]: id, ...properties }, [idProperty]);
		return { status: 'COMPLETE', results: [{ id: String(saved.number), properties: saved }] };
	}
}

/** Pipedrive's own key of the field "License ID", which a user has added. */
const LICENSE_ID = '1d8f';

interface Organization {
	id: number;
	name: string;
	custom_fields: Record<string, string>;
}

export class Pipedrive {
	refusesLeads = false;
	private readonly organizations: Organization[] = [];
	private readonly leads: Array<{ title: string; organization_id: number }> = [];
	private readonly notes: Array<{ lead_id: string; content: string }> = [];

	/** Each lead, with what belongs to it. */
	get all(): Fields[] {
		return this.leads.map(({ title, organization_id }, at) => {
			const organization = this.organizations[organization_id - 1];
			const note = this.notes.find(({ lead_id }) => lead_id === `lead-${at}`);
			return {
				...{ title, organization: organization?.name },
				phone: /Phone: ([\d-]+)/.exec(note?.content ?? '')?.[1],
				'License ID': organization?.custom_fields[LICENSE_ID],
			};
		});
	}

	answer(call: Call): unknown {
		const data = this.dataFor(call);
		return data && { success: true, data };
	}

	private dataFor({ method, path, query, body }: Call): unknown {
		const sent = body as never;
		switch (`${method} ${path}`) {
			case 'GET /api/v2/organizationFields':
				return [{ field_code: LICENSE_ID, field_name: 'License ID', field_type: 'varchar' }];
			case 'GET /v1/organizations/search': {
				const found = this.organizations.filter(
					({ custom_fields }) => custom_fields[LICENSE_ID] === query.term,
				);
				return { items: found.map((item) => ({ result_score: 1, item })) };
			}
			case 'POST /api/v2/organizations': {
				const organization = Object.assign({ id: this.organizations.length + 1 }, sent);
				this.organizations.push(organization);
				return organization;
			}
			case 'GET /v1/leads':
				return this.leads
					.map((lead, at) => ({ id: `lead-${at}`, ...lead }))
					.filter((lead) => String(lead.organization_id) === query.organization_id);
			case 'POST /v1/leads':
				if (this.refusesLeads) return undefined;
				return { id: `lead-${this.leads.push(sent) - 1}` };
			case 'POST /v1/notes':
				return { id: this.notes.push(sent) };
		}
		const [, id] = /^\/api\/v2\/organizations\/(\d+)$/.exec(path) ?? [];
		const known = this.organizations[Number(id) - 1];
		return method === 'PATCH' ? known && Object.assign(known, sent) : undefined;
	}
}

/** One table, which is written to as Airtable does when it is asked to merge. */
export class Airtable extends Records {
	answer({ method, path, body }: Call): unknown {
		if (method !== 'PATCH' || path !== '/v0/appYourBase/Leads') return undefined;
		const { records, performUpsert } = body as {
			records: Array<{ fields: Fields }>;
			performUpsert: { fieldsToMergeOn: string[] };
		};
		const saved = records.map(({ fields }) => this.merge(fields, performUpsert.fieldsToMergeOn));
		return { records: saved.map((fields) => ({ id: `rec${String(fields.number)}`, fields })) };
	}
}

/** Leads by their external ID. */
export class Salesforce extends Records {
	answer({ method, path, body }: Call): unknown {
		const [, id] = /\/sobjects\/lead\/License_ID__c\/(.{1,64})$/.exec(path) ?? [];
		if (method !== 'PATCH' || !id) return undefined;
		return { success: true, errors: [], ...this.merge({ id, ...(body as Fields) }, ['id']) };
	}
}

/** One sheet of a Google spreadsheet: empty at first, and written to through its API. */
export class Spreadsheet {
	private readonly rows: unknown[][] = [];

	/** Its rows, by the names in the first one. */
	get all(): Fields[] {
		const [header = [], ...rows] = this.rows;
		return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at]])));
	}

	answer({ method, path, body }: Call): unknown {
		if (path.endsWith(':batchUpdate')) return { replies: [] };
		const [, range] = /\/values\/([^/:]+(?::[^/:]+)?)(:append)?$/.exec(path) ?? [];
		if (range === undefined) return { sheets: [{ properties: { sheetId: 0, title: 'Leads' } }] };
		if (method === 'GET') return { range, values: this.rows };
		const { values } = body as { values: unknown[][] };
		const [, row] = /![A-Z]*(\d+)/.exec(range) ?? [];
		const first = path.endsWith(':append') ? this.rows.length : Number(row) - 1;
		values.forEach((value, offset) => (this.rows[first + offset] = value));
		return { updatedRange: range, updatedRows: values.length };
	}
}

type Corner = Record<'latitude' | 'longitude', number>;

/** Knows one place, and finds it where it is asked to look. */
export class Places {
	readonly at: Corner = { latitude: 27.9506, longitude: -82.4572 };

	answer({ path, body, headers }: Call): unknown {
		if (path !== '/v1/places:searchText' || !headers['x-goog-api-key']) return undefined;
		const { locationRestriction } = body as {
			locationRestriction?: { rectangle: { low: Corner; high: Corner } };
		};
		const { low, high } = locationRestriction?.rectangle ?? {};
		const isInside = (['latitude', 'longitude'] as const).every(
			(axis) => low && high && low[axis] < this.at[axis] && this.at[axis] < high[axis],
		);
		const displayName = { text: 'Blue Door', languageCode: 'en' };
		const place = { displayName, nationalPhoneNumber: '813-555-0100' };
		// Google leaves out what is empty.
		return isInside ? { places: [place] } : {};
	}
}

/** What a model is asked. */
export interface Completion {
	model: string;
	messages: Array<{ role: string; content: unknown }>;
	tools: Array<{ function: { name: string } }>;
}

/** A model that calls a tool once, and then answers. */
export class ChatModel {
	/** What it passes to the tool. */
	toolInput: Record<string, string> = {};
	reply = 'Some.';

	answer({ path, body }: Call): unknown {
		if (path !== '/v1/chat/completions') return undefined;
		const { model, messages } = body as Completion;
		const hasLooked = messages.at(-1)?.role === 'tool';
		const called = { name: 'Find_Licenses', arguments: JSON.stringify(this.toolInput) };
		const call = { index: 0, id: 'call-1', type: 'function', function: called };
		const said = hasLooked ? { content: this.reply } : { content: null, tool_calls: [call] };
		const finish_reason = hasLooked ? 'stop' : 'tool_calls';
		return {
			...{ id: 'completion-1', created: 0, model, object: 'chat.completion' },
			choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...said } }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}
}
