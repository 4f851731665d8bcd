import type { FastifyInstance, FastifyRequest } from 'fastify';

import { bodyCheck } from '../contract.mts';
import { countyKey } from '../dataset/county-key.mts';
import { counties } from '../dataset/florida.mts';
import type { Registrations, WebhookRequest } from '../webhooks/registrations.mts';
import type { KeyKind } from './authentication.mts';
import { invalidRequest, notFound } from './service-error.mts';

const registrationBody = bodyCheck('createWebhook');
const floridaCounties = new Set(counties.map(({ name }) => countyKey(name)));

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

	server.post('/webhooks', { config: { operationId: 'createWebhook' } }, async (request, reply) => {
		const offered = available();
		const fault = registrationBody(request.body) ?? unknownCounty(request.body as WebhookRequest);
		if (fault) throw invalidRequest(fault);
		const { webhook, secret } = offered.add(keyOf(request), request.body as WebhookRequest);
		void reply.code(201);
		return { data: { ...webhook, secret } };
	});

	server.delete<{ Params: { id: string } }>(
		'/webhooks/:id',
		{ config: { operationId: 'deleteWebhook' } },
		async (request, reply) => {
			if (!available().remove(keyOf(request), request.params.id))
				throw notFound(`No webhook has the id '${request.params.id}'.`);
			return await reply.code(204).send();
		},
	);
}

function unknownCounty({ counties: named = [] }: WebhookRequest): string | undefined {
	const unknown = named.find((county) => !floridaCounties.has(countyKey(county)));
	return unknown === undefined ? undefined : `There is no Florida county '${unknown}'.`;
}
