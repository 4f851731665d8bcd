import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { RegisterQuery } from '../register/list.mts';
import type { Register } from '../register/register.mts';
import type { Shapes } from '../shapes.mts';
import { invalidRequest, notFound } from './service-error.mts';

interface LicenseRoutes {
	shapes: Shapes;
	registerOf: (request: FastifyRequest) => Register;
	/** Runs when a request asks for a further page. */
	pageTurned: () => Promise<void>;
}

type Request = FastifyRequest<{ Querystring: RegisterQuery }>;

/** The register as the service answers from it: whatever it does not know, it ignores. */
export function addLicenseRoutes(server: FastifyInstance, routes: LicenseRoutes): void {
	const { shapes, registerOf, pageTurned } = routes;
	const pageOf = (request: Request): object =>
		shapes.pages({ ...registerOf(request).page(request.query), requestId: request.id });

	server.addHook('onSend', async (_request, reply) => {
		reply.header('Cache-Control', 'public, max-age=60');
	});

	server.get('/licenses', async (request: Request) => {
		const { cursor, offset } = request.query;
		if (cursor !== undefined || Number(offset) > 0) await pageTurned();
		return pageOf(request);
	});

	server.get('/licenses/search', async (request: Request) => {
		if (!request.query.q) throw invalidRequest("The search needs the parameter 'q'.");
		return shapes.searchShape(registerOf(request).search(request.query), pageOf(request));
	});

	server.get<{ Params: { id: string } }>('/licenses/:id', async (request) => {
		const { id } = request.params;
		const license = registerOf(request).get(id);
		if (!license) throw notFound(`No license has the id or license number '${id}'.`);
		return { data: license };
	});
}
