import type { FastifyInstance, FastifyRequest } from 'fastify';

import { queryCheck } from '../contract.mts';
import type { Dataset, ListFilter } from '../dataset/dataset.mts';
import type { License } from '../dataset/license.mts';
import { readCursor, writeCursor, type CursorKind } from './cursor.mts';
import { invalidCursor, invalidRequest, notFound } from './service-error.mts';

/** The interface does not show what a search returns. */
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
	limit: number;
	cursor?: string;
	[filter: string]: unknown;
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
			const entry = dataset.find(request.params.id);
			if (!entry) throw notFound(`No license has the id or license number '${request.params.id}'.`);
			return { data: dataset.license(entry) };
		},
	);
}

function pageOf(dataset: Dataset, query: ListQuery, kind: CursorKind): LicensePage {
	const { limit, cursor, ...asked } = query;
	// An empty text filters nothing.
	const filter = Object.fromEntries(
		Object.entries(asked as ListFilter).filter(([, value]) => value.trim() !== ''),
	);
	const start = cursor === undefined ? { skip: 0 } : readCursor(cursor, filter, kind);
	if (!start) throw invalidCursor();
	const { entries, total, hasMore } = dataset.page(filter, start, limit);
	const last = entries.at(-1);
	const next =
		kind === 'position' && 'skip' in start
			? { skip: start.skip + entries.length }
			: { time: last?.time ?? 0, serial: last?.serial ?? 0 };
	return {
		data: entries.map((entry) => dataset.license(entry)),
		pagination: { cursor: hasMore ? writeCursor(next, filter) : null, hasMore, total, limit },
	};
}
