import type { Call } from './world.mts';

interface Organization {
	id: number;
	name: string;
	custom_fields: Record<string, string>;
}

/** Pipedrive's own key of the field "License ID", which a user has added. */
const LICENSE_ID = '1d8f';

export class Pipedrive {
	refusesLeads = false;
	private readonly organizations: Organization[] = [];
	private readonly leads: Array<{ title: string; organization_id: number }> = [];
	private readonly notes: Array<{ lead_id: string; content: string }> = [];

	/** Each lead, with what belongs to it. */
	get all(): Array<Record<string, unknown>> {
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
