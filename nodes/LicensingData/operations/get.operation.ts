import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { text, withoutCommas } from '../filters/enteredValues';
import { field } from '../filters/filter';
import { invalidInput } from '../licenses/failure';
import { type License, licenseKey } from '../licenses/license';
import { joined } from '../licenses/text';
import { singleLine, webAddress } from '../output/fields';
import { connect, whileUserWaits, withNodeErrors } from '../service/client';
import { getLicense } from '../service/licenseRequests';
import { MAX_PAGE_SIZE, readPage } from '../service/listPages';
import type { OperationType } from './operationType';

export const get: OperationType<string> = {
	name: 'Get',
	action: 'Get Florida liquor or food license',
	description: 'Get one license by its ID or license number',
	fields: [
		field(
			'License',
			'licenseId',
			'resourceLocator',
			{ mode: 'list', value: '' },
			{
				required: true,
				description:
					'Find it in the list by name, city, county or number, or enter its ID or number',
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
						placeholder: 'e.g. lic_8f3k2m or BEV1234567',
						hint: 'The ID starts with lic_; the number is on the license',
					},
				],
			},
		),
	],
	hasOutput: true,
	looksUp: true,

	readParameters(read) {
		const entered = read('licenseId');
		const isLocator = typeof entered === 'object' && entered !== null && 'value' in entered;
		const idOrNumber = text('License', isLocator ? entered.value : entered);
		if (idOrNumber === undefined)
			throw invalidInput("'License' is empty", 'Choose a license, or enter its ID or number.');
		// It becomes part of the path, where some texts would lead to another address.
		if (/^(\.{1,2}|search)$/i.test(idOrNumber) || /[/\\%?#\s]/.test(idOrNumber))
			throw invalidInput(
				`'License' is not an ID or a license number: ${idOrNumber.slice(0, 60)}`,
				'An ID looks like lic_8f3k2m, a license number like BEV1234567. To find a license by name, use the operation Search.',
			);
		return idOrNumber;
	},

	async *run(service, idOrNumber, { toItem }) {
		yield [toItem(await getLicense(service, idOrNumber))];
	},
};

/** Fills the list from which a user picks a license, a page at a time as the user scrolls. */
export async function pickLicense(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await withNodeErrors(this, async (credential) => {
		const words = withoutCommas(text('Search', filter) ?? '');
		const service = await connect(this, whileUserWaits(1), credential);
		// The service's own search does not cover license numbers.
		const mayBeNumber = cursor === undefined && /^(?=\D*\d)[\w-]+$/.test(words);
		const [byNumber, page] = await Promise.all([
			mayBeNumber ? getLicense(service, words).catch(() => undefined) : undefined,
			readPage(service, { q: words || undefined, limit: MAX_PAGE_SIZE, cursor }),
		]);
		const name = byNumber && licenseKey(byNumber);
		const others = page.records.filter((license) => !byNumber || licenseKey(license) !== name);
		return {
			results: [byNumber ?? [], others].flat().map(toListEntry),
			paginationToken: page.cursor ?? undefined,
		};
	});
}

function toListEntry(license: License) {
	const value = licenseKey(license) ?? '';
	const name = joined(' · ', license.businessName, license.address?.city, license.licenseNumber);
	// The editor turns it into a link, and the service may send anything here.
	const url = webAddress(license.sourceUrl) ?? undefined;
	return { name: String(singleLine(name || value)), value, url };
}
