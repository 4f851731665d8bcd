import { invalidInput } from '../licenses/failure';
import { text } from '../filters/values';
import { getLicense } from '../service/licenses';
import type { Action } from './action';

export const get: Action<string> = {
	name: 'Get',
	action: 'Get Florida liquor or food license',
	description: 'Get one license by its ID or license number',
	fields: [
		{
			displayName: 'License',
			name: 'licenseId',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			required: true,
			description:
				'The license to get. Find it in the list by name, city, county or license number, or enter its ID or number.',
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
	],
	hasOutput: true,
	looksUp: true,

	readParameters: (read) => licenseId(read('licenseId')),

	async *run(service, idOrNumber, { toItem }) {
		yield [toItem(await getLicense(service, idOrNumber))];
	},
};

/** The value becomes part of the path, where some texts would lead to another address. */
function licenseId(value: unknown): string {
	const idOrNumber = text('License', isLocator(value) ? value.value : value);
	if (idOrNumber === undefined) {
		throw invalidInput("'License' is empty", 'Choose a license, or enter its ID or number.');
	}
	if (/^(\.{1,2}|search)$/i.test(idOrNumber) || /[/\\%?#\s]/.test(idOrNumber)) {
		throw invalidInput(
			`'License' is not an ID or a license number: ${idOrNumber.slice(0, 60)}`,
			'An ID looks like lic_8f3k2m, a license number like BEV1234567. To find a license by name, use the operation Search.',
		);
	}
	return idOrNumber;
}

const isLocator = (value: unknown): value is { value: unknown } =>
	typeof value === 'object' && value !== null && 'value' in value;
