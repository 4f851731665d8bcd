import { hash } from 'node:crypto';

import { normalizeLegalName } from './legalForms';
import { licenseNumberOf, type Named } from './license';
import { textOf } from './text';

/**
 * One lead: a license in the hands of one holder, e.g. "BEV0000001-rusty-anchor-llc". A license that changes
 * hands keeps its number and its ID, so neither alone may name a lead: the new owner would overwrite the old
 * one in a CRM. Without a holder it is the number, and without a number the service's ID takes its place.
 */
export function leadId(record: Named): string | null {
	const number = licenseNumberOf(record) || textOf(record.id);
	const holder = holderKey(record);
	return number === '' ? null : safeKey(holder === null ? number : `${number}-${holder}`);
}

/** One key for the owner of a license, however the name is written, e.g. "rusty-anchor-llc". */
export function holderKey({ legalName }: Named): string | null {
	const name = typeof legalName === 'string' ? normalizeLegalName(legalName) : '';
	return name === '' ? null : keyOfWords(name);
}

/**
 * Begins with a letter or a digit, because ".." leads elsewhere in an address, and "-" begins a formula. What
 * is longer does not fit into the fields that CRMs have for keys.
 */
const SAFE_KEY = /^[a-z0-9][\w.:-]{0,63}$/i;

/**
 * A key that means only itself in an address, a query or a formula, wherever a workflow puts it. A text that
 * could mean more is replaced by its hash, the same each time.
 */
const safeKey = (text: string): string =>
	SAFE_KEY.test(text) ? text : `hash_${hash('sha256', text).slice(0, 20)}`;

/** A key that people can read, e.g. "rusty-anchor-llc". */
export const keyOfWords = (text: string): string => safeKey(text.trim().split(/\s+/).join('-'));
