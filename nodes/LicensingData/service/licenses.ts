import { isObject, unexpectedAnswer } from './answer';
import { Failure } from '../licenses/failure';
import { isNotFound } from './refusals';
import { faultOf, notInData, toLicenses } from './records';
import type { Service } from './request';
import type { License } from '../licenses/license';

/** By its ID as it is, or by its license number, which people may type in lowercase. */
export async function getLicense(service: Service, idOrNumber: string): Promise<License> {
	const asked = idOrNumber.startsWith('lic_') ? idOrNumber : idOrNumber.toUpperCase();
	try {
		return await service({ path: `/licenses/${encodeURIComponent(asked)}` }, readRecord);
	} catch (error) {
		throw isNotFound(error) ? noSuchLicense(idOrNumber, error) : error;
	}
}

/** What the service's search finds first. */
export async function searchLicenses(
	service: Service,
	query: { q: string; county?: string; limit: number },
): Promise<License[]> {
	const found = await service({ path: '/licenses/search', query: { ...query } }, readList);
	return found.slice(0, query.limit);
}

function readRecord(body: unknown): License {
	const data = isObject(body) ? body.data : undefined;
	if (faultOf(data) === undefined) return data as License;
	throw notInData('a license', body);
}

/** The interface does not show this answer's shape, so a page, a bare `data` and a bare array are all fine. */
function readList(body: unknown): License[] {
	const list = isObject(body) ? body.data : body;
	if (!Array.isArray(list)) throw notInData('a list of licenses', body);
	const { licenses, unreadable } = toLicenses(list as unknown[]);
	if (unreadable !== undefined) throw unexpectedAnswer(unreadable);
	return licenses;
}

function noSuchLicense(idOrNumber: string, { facts }: Failure): Failure {
	return new Failure(
		'status',
		`No license matches '${idOrNumber}'`,
		"Check the value of 'License': a license ID starts with lic_, a license number looks like BEV1234567. If this happens with every license, check 'Base URL' in the credential.",
		facts,
	);
}
