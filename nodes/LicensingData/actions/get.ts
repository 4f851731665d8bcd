import { getLicense } from '../api/licenses';
import type { Action } from './action';
import { licenseId, licenseIdField } from './licenseId';

export const get: Action<string> = {
	fields: [licenseIdField],

	plan: (read) => licenseId(read('licenseId')),

	async *run(service, idOrNumber) {
		yield [await getLicense(service, idOrNumber)];
	},
};
