import { hash } from 'node:crypto';

/**
 * Begins with a letter or a digit, because ".." leads elsewhere in an address, and "-" begins a formula. What
 * is longer does not fit into the fields that CRMs have for keys.
 */
const SAFE_KEY = /^[a-z0-9][\w.:-]{0,63}$/i;

/**
 * A key that means only itself in an address, a query or a formula, wherever a workflow puts it. A text that
 * could mean more is replaced by its hash, the same each time.
 */
export const safeKey = (text: string): string =>
	SAFE_KEY.test(text) ? text : `hash_${hash('sha256', text).slice(0, 20)}`;

/** A key that people can read, e.g. "rusty-anchor-llc". */
export const keyOfWords = (text: string): string => safeKey(text.trim().split(/\s+/).join('-'));
