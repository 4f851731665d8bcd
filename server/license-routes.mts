import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Answers } from './answers.mts';
import { cursorOf, limitIn, positionIn, queryIn, SEARCH_SIZE, type Given } from './query.mts';
import type { Register } from './register.mts';
import { invalidRequest, notFound, ServiceError } from './service-error.mts';

type Request = FastifyRequest<{ Querystring: Given }>;

/** A register as the interface shows it: whatever it does not know, it ignores. */
export function addLicenseRoutes(server: FastifyInstance, answers: Answers): void {
	server.addHook('onSend', async (_request, reply) => {
		reply.header('Cache-Control', 'public, max-age=60');
	});

	server.get('/licenses', async (request: Request) => await pageOf(request, answers));

	server.get('/licenses/search', async (request: Request) => {
		const { q: query } = request.query;
		if (typeof query !== 'string' || query === '')
			throw invalidRequest("The search needs the parameter 'q'.");
		const register = registerOf(request);
		const { county } = queryIn(request.query);
		const limit = limitIn(request.query, SEARCH_SIZE);
		const data = await register.search(query.toLowerCase(), county, limit);
		const found = { data, query, count: data.length };
		return await answers.searchShape(found, async () => await pageOf(request, answers));
	});

	server.get<{ Params: { id: string } }>('/licenses/:id', async (request) => {
		const { id } = request.params;
		const license = await registerOf(request).get(id);
		if (!license) throw notFound(`No license has the id or license number '${id}'.`);
		return { data: license };
	});
}

function registerOf({ account }: Pick<FastifyRequest, 'account'>): Register {
	const { register } = account!;
	if (register.notReady === undefined) return register;
	throw new ServiceError(503, 'not_ready', register.notReady);
}

async function pageOf(request: Request, answers: Answers): Promise<object> {
	const { query } = request;
	const limit = limitIn(query);
	const page = await registerOf(request).page(queryIn(query), positionIn(query), limit);
	const { data, next, total } = page;
	return answers.pages({ data, cursor: next && cursorOf(next), total, limit });
}
