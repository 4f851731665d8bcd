import type { IDataObject } from 'n8n-workflow';

import type { Address, License } from '../licenses/license';
import { nameAsWritten } from './asWritten';
import { addressLine } from './flat';
import { singleLine } from './singleLine';

/** What a delivery says beside the record about what was, and what is. No list has it. */
const FIELDS = {
	newLegalName: nameAsWritten,
	newStatus: singleLine,
	previousAddress: (address: unknown) =>
		typeof address === 'object' && address !== null
			? addressLine(address as Address)
			: singleLine(address),
	previousLegalName: nameAsWritten,
	previousStatus: singleLine,
};

export const DELIVERED_FIELDS = Object.keys(FIELDS) as Array<keyof typeof FIELDS>;

/** Those that came with a license. */
export const delivered = (license: License): IDataObject =>
	Object.fromEntries(
		DELIVERED_FIELDS.filter((name) => Object.hasOwn(license, name)).map((name) => [
			name,
			FIELDS[name](license[name]),
		]),
	);
