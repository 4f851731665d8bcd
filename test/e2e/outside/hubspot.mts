import type { Call } from './world.mts';

let created = 1000;

export function answerAsHubSpot({ method, path }: Call): unknown {
	if (method !== 'POST') return undefined;
	if (path === '/companies/v2/companies') return { companyId: ++created, properties: {} };
	if (path === '/crm/v3/objects/contacts') return { id: String(++created), properties: {} };
	return undefined;
}
