import { holderKey } from './holderKey';
import { textOf } from './readableText';
import { safeKey } from './safeKey';

/**
 * One lead: a license in the hands of one holder, e.g. "BEV0000001-rusty-anchor-llc". A license that changes
 * hands keeps its number and its ID, so neither alone may name a lead: the new owner would overwrite the old
 * one in a CRM. Without a holder it is the number, and without a number the service's ID takes its place.
 */
export function leadId({
	id,
	licenseNumber,
	legalName,
}: {
	id?: unknown;
	licenseNumber?: unknown;
	legalName?: unknown;
}): string | null {
	const number = textOf(licenseNumber).trim() || textOf(id);
	const holder = holderKey({ legalName });
	return number === '' ? null : safeKey(holder === null ? number : `${number}-${holder}`);
}
