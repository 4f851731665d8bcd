import type { FastifyInstance, FastifyRequest } from 'fastify';

import { checkOf, operationOf } from '../contract.mts';
import { seats } from '../../sandbox/register/florida.mts';
import { slug } from '../../sandbox/shapes.mts';
import type { Registrations, WebhookRequest } from './registrations.mts';
import type { KeyKind } from '../authentication.mts';
import { invalidRequest, notFound } from '../service-error.mts';

const { requestBody } = operationOf('createWebhook');
const bodyFault = checkOf(requestBody?.content?.['application/json']?.schema);
const floridaCounties = new Set(seats.map(({ county }) => slug(county)));

/** Without registrations, webhooks are what they are today: not available. */
export function addWebhookRoutes(
	server: FastifyInstance,
	registrations: Registrations | undefined,
): void {
	const available = (): Registrations => {
		if (!registrations) throw notFound('Webhooks are planned and not yet available.');
		return registrations;
	};
	const keyOf = (request: FastifyRequest): KeyKind => request.visit?.key ?? 'test';

	server.post<{ Body: WebhookRequest }>('/webhooks', async (request, reply) => {
		const offered = available();
		const fault = bodyFault(request.body) ?? unknownCounty(request.body);
		if (fault) throw invalidRequest(fault);
		const { webhook, secret } = offered.add(keyOf(request), request.body);
		void reply.code(201);
		return { data: { ...webhook, secret } };
	});

	server.delete<{ Params: { id: string } }>('/webhooks/:id', async (request, reply) => {
		if (!available().remove(keyOf(request), request.params.id))
			throw notFound(`No webhook has the id '${request.params.id}'.`);
		return await reply.code(204).send();
	});
}

function unknownCounty({ counties = [] }: WebhookRequest): string | undefined {
	const unknown = counties.find((county) => !floridaCounties.has(county));
	return unknown === undefined ? undefined : `There is no Florida county '${unknown}'.`;
}
