import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { isObject } from '../licenses/text';
import { faultOf, notInData, toLicenses, unexpectedAnswer } from './answer';
import type { Service } from './client';
import { hasStatus } from './httpFailures';

/** By its ID as it is, or by its license number, which people may type in lowercase. */
export async function getLicense(service: Service, idOrNumber: string): Promise<License> {
	const asked = idOrNumber.startsWith('lic_') ? idOrNumber : idOrNumber.toUpperCase();
	const path = `/licenses/${encodeURIComponent(asked)}`;
	return await service({ path }, readRecord).catch((error: unknown) => {
		if (!hasStatus(error, 404)) throw error;
		throw new Failure(
			`No license matches '${idOrNumber}'`,
			"Check the value of 'License': a license ID starts with lic_, a license number looks like BEV1234567. If this happens with every license, check 'Base URL' in the credential.",
			error.facts,
		);
	});
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
	const fault = faultOf(data);
	if (fault !== undefined) throw notInData('a license', fault);
	return data as License;
}

/** The interface does not show this answer's shape, so a page, a bare `data` and a bare array are all fine. */
function readList(body: unknown): License[] {
	const list = isObject(body) ? body.data : body;
	if (!Array.isArray(list)) throw notInData('a list of licenses');
	const { records, unreadable } = toLicenses(list as unknown[]);
	if (unreadable.length > 0) throw unexpectedAnswer(`${unreadable[0]}.`);
	return records;
}
