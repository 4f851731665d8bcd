import type { FastifyInstance, FastifyRequest } from 'fastify';

import { queryCheck, type QueryFault, type Schema } from '../contract.mts';
import type { Dataset, ListFilter } from '../dataset/dataset.mts';
import { eventTypes as documentedEvents } from '../dataset/license.mts';
import type { Shapes } from '../shapes.mts';
import { Cursors } from './cursor.mts';
import { invalidCursor, invalidRequest, notFound } from './service-error.mts';

export interface LicenseRoutes {
	shapes: Shapes;
	now: () => number;
	datasetOf: (request: FastifyRequest) => Dataset;
	/** Runs when a request asks for a further page. */
	pageTurned: () => Promise<void>;
}

type Query = Record<string, unknown>;

interface ListQuery {
	limit: number;
	cursor?: string;
	offset?: number;
	[filter: string]: unknown;
}

export function addLicenseRoutes(server: FastifyInstance, routes: LicenseRoutes): void {
	const { shapes } = routes;
	const cursors = new Cursors(shapes.cursors, shapes.cursorLife, routes.now);
	const ofList = listParameters(shapes);
	const listQuery = queryCheck('listLicenses', { ...ofList, ...eventParameter(shapes) });
	const searchQuery = queryCheck('searchLicenses', ofList);
	const getQuery = queryCheck('getLicense');

	/** Parameters that the service ignores are taken away, one after the other. */
	const check = (request: FastifyRequest, faultOf: (query: Query) => QueryFault | undefined) => {
		const query = request.query as Query;
		let fault = faultOf(query);
		while (fault?.isUnknown && shapes.unknownParameters.status === undefined) {
			delete query[fault.parameter];
			fault = faultOf(query);
		}
		if (!fault) return;
		const { status } = fault.isUnknown ? shapes.unknownParameters : shapes.badValues;
		throw invalidRequest(fault.message, status, fault.parameter);
	};

	const page = async (request: FastifyRequest) => {
		const query = request.query as ListQuery;
		const isFurther = query.cursor !== undefined || (query.offset ?? 0) > 0;
		if (isFurther) await routes.pageTurned();
		const { data, ...parts } = pageOf(routes.datasetOf(request), query, shapes, cursors);
		return { data, page: shapes.pages.show({ data, ...parts, requestId: request.id }) };
	};

	server.get('/licenses', { config: { operationId: 'listLicenses' } }, async (request) => {
		check(request, listQuery);
		return (await page(request)).page;
	});

	server.get('/licenses/search', { config: { operationId: 'searchLicenses' } }, async (request) => {
		check(request, searchQuery);
		const found = await page(request);
		return shapes.searchShape(found.data, found.page);
	});

	server.get<{ Params: { id: string } }>(
		'/licenses/:id',
		{ config: { operationId: 'getLicense' } },
		async (request) => {
			check(request, getQuery);
			const dataset = routes.datasetOf(request);
			const entry = dataset.find(request.params.id);
			if (!entry) throw notFound(`No license has the id or license number '${request.params.id}'.`);
			return { data: dataset.shown(entry) };
		},
	);
}

function listParameters({ limits, pages }: Shapes): Record<string, Schema | null> {
	const { default: byDefault, largest } = limits;
	return {
		limit: { type: 'integer', minimum: 1, default: byDefault, maximum: largest },
		...(pages.byOffset && { cursor: null, offset: { type: 'integer', minimum: 0, default: 0 } }),
	};
}

/** A kind of event that the service has is also one that it can filter by. */
function eventParameter({ eventTypes }: Shapes): Record<string, Schema> {
	const known = documentedEvents.flatMap((event) =>
		[0, 1].map((serial) => eventTypes(event, serial)),
	);
	return { event_type: { type: 'string', enum: [...new Set(known)] } };
}

function pageOf(dataset: Dataset, query: ListQuery, shapes: Shapes, cursors: Cursors) {
	const { cursor, offset, limit, ...filters } = query;
	// An empty text filters nothing.
	const filter = Object.fromEntries(
		Object.entries(filters as ListFilter).filter(([, value]) => value.trim() !== ''),
	);
	const isFirst = cursor === undefined;
	const start = isFirst ? { skip: offset ?? 0 } : cursors.read(cursor, filter);
	if (!start) throw invalidCursor(shapes.cursorLife.status);
	const { entries, total, hasMore } = dataset.page(filter, start, limit);
	const last = entries.at(-1);
	const next =
		shapes.cursors === 'position' && 'skip' in start
			? { skip: start.skip + entries.length }
			: { rank: last?.rank ?? 0, tie: last?.tie ?? 0 };
	return {
		data: entries.map((entry) => dataset.shown(entry)),
		cursor: hasMore ? cursors.write(next, filter) : null,
		offset: offset ?? 0,
		total: shapes.totals(total),
		limit,
	};
}
