import { isObject, unexpectedAnswer } from './answer';
import { Failure } from '../licenses/failure';
import { toPage } from './page';
import { isNotFound, refusesValue } from './refusals';
import { faultOf, notInData, toLicenses } from './records';
import type { Service } from './request';
import type { License } from '../licenses/license';
import type { LicensePage, ListQuery } from '../licenses/licenseList';

/** A page of a list, of which every record has to be a license. */
export async function listLicenses(service: Service, query: ListQuery): Promise<LicensePage> {
	return await readPage(service, query, (page) => {
		if (page.unreadable !== undefined) throw unexpectedAnswer(page.unreadable);
		return page;
	});
}

/** A page of a list. What is no license is left out, and said in `unreadable`, unless nothing would be left. */
export async function readPage(
	service: Service,
	query: ListQuery,
	check = (page: LicensePage): LicensePage => page,
): Promise<LicensePage> {
	try {
		return await service({ path: '/licenses', query: { ...query } }, (body, reveals, bytes) => ({
			...check(toPage(body, reveals, query)),
			bytes,
		}));
	} catch (error) {
		throw query.cursor !== undefined && refusesValue(error) ? refusedCursor(error) : error;
	}
}

/** By its ID as it is, or by its license number, which people may type in lowercase. */
export async function getLicense(service: Service, idOrNumber: string): Promise<License> {
	const asked = idOrNumber.startsWith('lic_') ? idOrNumber : idOrNumber.toUpperCase();
	try {
		return await service({ path: `/licenses/${encodeURIComponent(asked)}` }, readRecord);
	} catch (error) {
		throw isNotFound(error) ? noSuchLicense(idOrNumber, error) : error;
	}
}

/** The first page of a list, whatever follows. */
export async function firstLicenses(
	service: Service,
	query: ListQuery,
	path = '/licenses',
): Promise<License[]> {
	const found = await service({ path, query: { ...query } }, readList);
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

/** Only the first page of a list tells whether the address and the filters are right. */
function refusedCursor({ facts }: Failure): Failure {
	return new Failure(
		'status',
		`The service did not accept its own marker for the next page (HTTP ${facts.status})`,
		`The marker (cursor) may have expired. Ask for less at a time, such as one county, with narrower 'Filters' or more words, so that the list ends sooner. If it happens with short lists, too, send this text to the service's support.`,
		facts,
	);
}

function noSuchLicense(idOrNumber: string, { facts }: Failure): Failure {
	return new Failure(
		'status',
		`No license matches '${idOrNumber}'`,
		"Check the value of 'License': a license ID starts with lic_, a license number looks like BEV1234567. If this happens with every license, check 'Base URL' in the credential.",
		facts,
	);
}
