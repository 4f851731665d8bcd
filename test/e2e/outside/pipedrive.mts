import type { Call } from './world.mts';

interface Organization {
	id: number;
	name: string;
	custom_fields: Record<string, string>;
}

/** The fields that a user has added. Pipedrive has its own keys for them. */
const FIELDS = { '1d8f': 'License ID' };

export class Pipedrive {
	readonly organizations: Organization[] = [];
	readonly leads: Array<Record<string, unknown>> = [];
	readonly notes: Array<Record<string, unknown>> = [];

	add(name: string, licenseId: string): void {
		this.organizations.push({ id: 1, name, custom_fields: { '1d8f': licenseId } });
	}

	/** An organization as its owner sees it. */
	shown = ({ id, name, custom_fields }: Organization) => ({
		id,
		name,
		'License ID': custom_fields['1d8f'],
	});

	answer(call: Call): unknown {
		const data = this.dataFor(call);
		return data && { success: true, data };
	}

	private dataFor({ method, path, query, body }: Call): unknown {
		const sent = body as Omit<Organization, 'id'>;
		// Pipedrive refuses longer names.
		if ((sent?.name ?? '').length > 255) return undefined;
		switch (`${method} ${path}`) {
			case 'GET /api/v2/organizationFields':
				return Object.entries(FIELDS).map(([key, name]) => ({
					field_code: key,
					field_name: name,
					field_type: 'varchar',
				}));
			case 'GET /v1/organizations/search':
				return { items: this.search(query).map((item) => ({ result_score: 1, item })) };
			case 'POST /api/v2/organizations':
				return this.save({ id: this.organizations.length + 1, ...sent });
			case 'POST /v1/leads':
				this.leads.push(sent);
				return { id: `lead-${this.leads.length}`, ...sent };
			case 'POST /v1/notes':
				this.notes.push(sent);
				return { id: this.notes.length, ...sent };
			default: {
				const [, id] = /^\/api\/v2\/organizations\/(\d+)$/.exec(path) ?? [];
				const known = this.organizations.find((one) => one.id === Number(id));
				return method === 'PATCH' ? known && Object.assign(known, sent) : undefined;
			}
		}
	}

	private search({ term, exact_match, fields }: Record<string, string>) {
		if (exact_match !== 'true' || fields !== 'custom_fields') return [];
		return this.organizations.filter(({ custom_fields }) =>
			Object.values(custom_fields).includes(term ?? ''),
		);
	}

	private save(organization: Organization) {
		this.organizations.push(organization);
		return organization;
	}
}
