import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Register, RegisterQuery } from '../register/register.mts';
import { invalidRequest, notFound } from './service-error.mts';

export interface RegisterRoutes {
	registerOf: (request: FastifyRequest) => Register;
	/** Runs when a request asks for a further page. */
	pageTurned: () => Promise<void>;
}

/** The register as the service answers from it: whatever it does not know, it ignores. */
export function addRegisterRoutes(
	server: FastifyInstance,
	{ registerOf, pageTurned }: RegisterRoutes,
): void {
	server.addHook('onSend', async (_request, reply) => {
		reply.header('Cache-Control', 'public, max-age=60');
	});

	server.get<{ Querystring: RegisterQuery }>(
		'/licenses',
		{ config: { operationId: 'listLicenses' } },
		async (request) => {
			if (request.query.cursor !== undefined) await pageTurned();
			return registerOf(request).list(request.query);
		},
	);

	server.get<{ Querystring: RegisterQuery }>(
		'/licenses/search',
		{ config: { operationId: 'searchLicenses' } },
		async (request) => {
			if (!request.query.q) throw invalidRequest("The search needs the parameter 'q'.");
			return registerOf(request).search(request.query);
		},
	);

	server.get<{ Params: { id: string } }>(
		'/licenses/:id',
		{ config: { operationId: 'getLicense' } },
		async (request) => {
			const { id } = request.params;
			const license = registerOf(request).get(id);
			if (!license) throw notFound(`No license has the id or license number '${id}'.`);
			return { data: license };
		},
	);
}
