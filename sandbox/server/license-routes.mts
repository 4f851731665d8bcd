import type { FastifyInstance, FastifyRequest } from 'fastify';

import { queryCheck } from '../contract.mts';
import type { Dataset, ListFilter } from '../dataset/dataset.mts';
import type { License } from '../dataset/license.mts';
import { readCursor, writeCursor, type CursorKind } from './cursor.mts';
import { invalidCursor, invalidRequest, notFound } from './service-error.mts';

/** The interface does not show what a search answers with. */
export type SearchShape = 'page' | 'data' | 'array';

export interface LicenseRoutes {
	cursors: CursorKind;
	searchShape: SearchShape;
	datasetOf: (request: FastifyRequest) => Dataset;
	/** Runs when a request asks for a further page. */
	pageTurned: () => Promise<void>;
}

type Query = Record<string, unknown>;

interface ListQuery {
	county?: string;
	license_type?: string;
	event_type?: string;
	status?: string;
	q?: string;
	limit: number;
	cursor?: string;
}

export interface LicensePage {
	data: License[];
	pagination: { cursor: string | null; hasMore: boolean; total: number; limit: number };
}

const listQuery = queryCheck('listLicenses');
const searchQuery = queryCheck('searchLicenses');
const getQuery = queryCheck('getLicense');

export function addLicenseRoutes(server: FastifyInstance, routes: LicenseRoutes): void {
	const page = async (request: FastifyRequest, fault: string | undefined): Promise<LicensePage> => {
		if (fault) throw invalidRequest(fault);
		const query = request.query as ListQuery;
		if (query.cursor !== undefined) await routes.pageTurned();
		return pageOf(routes.datasetOf(request), query, routes.cursors);
	};

	server.get('/licenses', { config: { operationId: 'listLicenses' } }, (request) =>
		page(request, listQuery(request.query as Query)),
	);

	server.get('/licenses/search', { config: { operationId: 'searchLicenses' } }, async (request) => {
		const { data, pagination } = await page(request, searchQuery(request.query as Query));
		if (routes.searchShape === 'array') return data;
		return routes.searchShape === 'data' ? { data } : { data, pagination };
	});

	server.get<{ Params: { id: string } }>(
		'/licenses/:id',
		{ config: { operationId: 'getLicense' } },
		async (request) => {
			const fault = getQuery(request.query as Query);
			if (fault) throw invalidRequest(fault);
			const dataset = routes.datasetOf(request);
			const slot = dataset.find(request.params.id);
			if (slot === undefined)
				throw notFound(`No license has the id or license number '${request.params.id}'.`);
			return { data: dataset.license(slot) };
		},
	);
}

function pageOf(dataset: Dataset, query: ListQuery, kind: CursorKind): LicensePage {
	const { limit, cursor } = query;
	const filter = filterOf(query);
	const start = cursor === undefined ? { skip: 0 } : readCursor(cursor, filter, kind);
	if (!start) throw invalidCursor();
	const { slots, total, hasMore } = dataset.page(filter, start, limit);
	const last = slots.at(-1);
	const next =
		kind === 'position' && 'skip' in start
			? { skip: start.skip + slots.length }
			: { time: dataset.timeOf(last ?? 0), slot: last ?? 0 };
	return {
		data: slots.map((slot) => dataset.license(slot)),
		pagination: { cursor: hasMore ? writeCursor(next, filter) : null, hasMore, total, limit },
	};
}

/** An empty text filters nothing. */
function filterOf(query: ListQuery): ListFilter {
	const { county, license_type, event_type, status, q } = query;
	return {
		...(county ? { county } : {}),
		...(license_type ? { licenseType: license_type } : {}),
		...(event_type ? { eventType: event_type } : {}),
		...(status ? { status } : {}),
		...(q?.trim() ? { q: q.trim() } : {}),
	};
}
