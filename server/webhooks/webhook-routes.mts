import type { FastifyInstance } from 'fastify';

import { checkOf, operationOf } from '../contract.mts';
import { invalidRequest, notFound } from '../service-error.mts';
import type { Registrations, WebhookRequest } from './registrations.mts';

const { requestBody } = operationOf('createWebhook');
const bodyFault = checkOf(requestBody?.content?.['application/json']?.schema);

/** Counties as registrations write them: in lower case, with hyphens. */
export function addWebhookRoutes(
	server: FastifyInstance,
	registrations: Registrations,
	counties: ReadonlySet<string>,
): void {
	const unknownCounty = ({ counties: asked = [] }: WebhookRequest): string | undefined => {
		const unknown = asked.find((county) => !counties.has(county));
		return unknown === undefined ? undefined : `There is no county '${unknown}'.`;
	};

	server.post<{ Body: WebhookRequest }>('/webhooks', async ({ account, body }, reply) => {
		const fault = bodyFault(body) ?? unknownCounty(body);
		if (fault) throw invalidRequest(fault);
		const { webhook, secret } = registrations.add(account!.name, body);
		void reply.code(201);
		return { data: { ...webhook, secret } };
	});

	server.delete<{ Params: { id: string } }>('/webhooks/:id', async ({ account, params }, reply) => {
		if (!registrations.remove(account!.name, params.id))
			throw notFound(`No webhook has the id '${params.id}'.`);
		return await reply.code(204).send();
	});
}
