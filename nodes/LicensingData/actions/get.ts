import type { Action } from './action';
import { getInAnyCase, licenseId, licenseIdField } from './licenseId';

export const get: Action<string> = {
	fields: [licenseIdField],

	plan: (read) => licenseId(read('licenseId')),

	async *run(service, idOrNumber) {
		yield [await getInAnyCase(service, idOrNumber)];
	},
};
