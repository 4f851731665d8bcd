import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { RegisterQuery } from '../sandbox/register/list.mts';
import type { Parts } from './server.mts';
import { invalidRequest, notFound } from './service-error.mts';

type Request = FastifyRequest<{ Querystring: RegisterQuery }>;

/** The register as the service answers from it: whatever it does not know, it ignores. */
export function addLicenseRoutes(server: FastifyInstance, parts: Parts): void {
	const { shapes, register, test, trouble } = parts;
	const registerOf = ({ visit }: Pick<FastifyRequest, 'visit'>) =>
		visit?.key === 'live' ? register : test;
	const pageOf = (request: Request): object =>
		shapes.pages(registerOf(request).page(request.query));

	server.addHook('onSend', async (_request, reply) => {
		reply.header('Cache-Control', 'public, max-age=60');
	});

	server.get('/licenses', async (request: Request) => {
		const { cursor, offset } = request.query;
		if (cursor !== undefined || Number(offset) > 0) await trouble.pageTurned();
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
