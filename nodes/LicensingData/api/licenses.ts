import type { IDataObject } from 'n8n-workflow';

import { readPage, readRecord, readSearch } from './answer';
import { Failure } from './failure';
import type { Service } from './request';
import type { License, LicensePage, ListQuery } from './types';

export const LARGEST_PAGE = 50;

export async function listLicenses(service: Service, query: ListQuery): Promise<LicensePage> {
	return readPage(await service({ path: '/licenses', query: { ...query } }));
}

export async function getLicense(service: Service, idOrNumber: string): Promise<License> {
	try {
		return readRecord(await service({ path: `/licenses/${encodeURIComponent(idOrNumber)}` }));
	} catch (error) {
		throw isNotFound(error) ? notFound(idOrNumber, error) : error;
	}
}

export async function searchLicenses(
	service: Service,
	query: Pick<ListQuery, 'q' | 'county' | 'limit'>,
): Promise<License[]> {
	const found = readSearch(
		await service({ path: '/licenses/search', query: query as IDataObject }),
	);
	return query.limit === undefined ? found : found.slice(0, query.limit);
}

const isNotFound = (error: unknown): error is Failure =>
	error instanceof Failure && error.status === 404;

function notFound(idOrNumber: string, { status, said }: Failure): Failure {
	return new Failure(
		'status',
		`No license matches '${idOrNumber}'`,
		"Check the value of 'License': a license ID starts with lic_, a license number looks like COP-2026-001234. If every license is missing, check 'Base URL' in the credential.",
		{ status, said },
	);
}
