import type { IDataObject } from 'n8n-workflow';

import { type Operation, properties } from '../../nodes/LicensingData/operations/operations.ts';

/** Parameters with which each operation runs. The type asks for a line when an operation is added. */
const SAMPLES: Record<Operation, IDataObject> = {
	count: { groupBy: 'licenseType' },
	export: { format: 'csv' },
	get: { licenseId: 'lic_1' },
	getAll: { returnAll: true },
	match: { businessName: 'bar' },
	search: { query: 'bar' },
};

export const OPERATIONS = Object.keys(SAMPLES) as Operation[];

/** The parameters of one operation: its sample, unless others are given. */
export const parametersFor = (operation: Operation, more: IDataObject = {}): IDataObject => ({
	operation,
	...SAMPLES[operation],
	...more,
});

/** What the editor offers for a parameter of the License node. */
export const choicesOf = (parameter: string): string[] =>
	(properties.find(({ name }) => name === parameter)?.options ?? []).flatMap((choice) =>
		'value' in choice ? String(choice.value) : [],
	);
