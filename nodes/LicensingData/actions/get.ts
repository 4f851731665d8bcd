import type { Action } from './action';
import { getInAnyCase, licenseId, licenseIdField } from './licenseId';

export const get: Action<string> = {
	name: 'Get',
	action: 'Get Florida liquor or food license',
	description: 'Get one license by its ID or license number',
	fields: [licenseIdField],
	hasOutput: true,

	plan: (read) => licenseId(read('licenseId')),

	async *run(service, idOrNumber, { toItem }) {
		yield [toItem(await getInAnyCase(service, idOrNumber))];
	},
};
