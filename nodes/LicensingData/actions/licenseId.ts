import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { Failure, isMissing, refusal } from '../domain/failure';
import { toNodeError } from '../transport/nodeError';
import { LARGEST_PAGE } from '../domain/licenseList';
import { getLicense, listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import { connect } from '../transport/request';
import { licenseName } from '../domain/event';
import type { License } from '../domain/license';
import { text, withoutCommas } from '../parameters/values';
import { words } from '../output/flat';
import { showFor } from './action';

export const licenseIdField: INodeProperties = {
	displayName: 'License',
	name: 'licenseId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description:
		'The license to get. Find it in the list by name, city, county or license number, or enter its ID or number.',
	displayOptions: showFor('get'),
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a license...',
			hint: 'If several words find nothing, try one of them',
			typeOptions: { searchListMethod: 'searchLicenses', searchable: true },
		},
		{
			displayName: 'By ID or Number',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. lic_8f3k2m or COP-2026-001234',
			hint: 'The ID starts with lic_; the number is on the license',
		},
	],
};

/** The value becomes part of the path, where some texts would lead to another address. */
export function licenseId(value: unknown): string {
	const idOrNumber = text('License', isLocator(value) ? value.value : value);
	if (idOrNumber === undefined) {
		throw refusal("'License' is empty", 'Choose a license, or enter its ID or number.');
	}
	if (/^(\.{1,2}|search)$/i.test(idOrNumber) || /[/\\%?#\s]/.test(idOrNumber)) {
		throw refusal(
			`'License' is not an ID or a license number: ${idOrNumber.slice(0, 60)}`,
			'An ID looks like lic_8f3k2m, a license number like COP-2026-001234. To find a license by name, use the operation Search.',
		);
	}
	return idOrNumber;
}

const isLocator = (value: unknown): value is { value: unknown } =>
	typeof value === 'object' && value !== null && 'value' in value;

/** People may type license numbers in lowercase. IDs are taken as they are. */
export async function getInAnyCase(service: Service, idOrNumber: string): Promise<License> {
	const inCapitals = idOrNumber.toUpperCase();
	const isId = /^lic_/i.test(idOrNumber);
	return await getLicense(service, idOrNumber).catch(async (error: unknown) => {
		const isUnknown = error instanceof Failure && error.status === 404;
		if (!isUnknown || isId || inCapitals === idOrNumber) throw error;
		return await getLicense(service, inCapitals).catch((second: unknown) => {
			// Only a service that knows neither spelling has no such license.
			throw isMissing(second) ? error : second;
		});
	});
}

const WHILE_USER_WAITS = { retries: 1, timeout: 10_000 };

/** Fills the list of the locator, a page at a time as the user scrolls. */
export async function searchLicenses(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	try {
		const words = withoutCommas(text('Search', filter) ?? '');
		const service = await connect(this, WHILE_USER_WAITS);
		const [byNumber, { records, cursor }] = await Promise.all([
			paginationToken === undefined ? licenseByNumber(service, words) : [],
			listLicenses(service, {
				q: words || undefined,
				limit: LARGEST_PAGE,
				cursor: paginationToken,
			}),
		]);
		return {
			results: [...byNumber, ...records].map(toListEntry),
			paginationToken: cursor ?? undefined,
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** The service's own search does not cover license numbers. */
async function licenseByNumber(service: Service, words: string): Promise<License[]> {
	if (!/^[\w-]*\d[\w-]*$/.test(words)) return [];
	return await getInAnyCase(service, words).then(
		(license) => [license],
		() => [],
	);
}

function toListEntry(license: License) {
	const value = licenseName(license) ?? '';
	const name = words(' · ', license.businessName, license.address?.city, license.licenseNumber);
	// The editor turns it into a link, and the service may send anything here.
	const url = /^https?:\/\/\S+$/i.exec(words('', license.sourceUrl))?.[0];
	return { name: name || value, value, url };
}
