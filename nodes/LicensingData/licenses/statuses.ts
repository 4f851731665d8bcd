import type { Choice } from './choice';
import type { License } from './license';

/** The interface does not list them. These have been seen; almost all licenses are active. */
export const STATUSES: Choice[] = [
	'Active',
	'Approved',
	'Canceled',
	'Expired',
	'Pending',
	'Suspended',
].map((name) => ({ name, value: name.toLowerCase() }));

/** How a service may write a status: "canceled" and "cancelled" are one. */
export function spellings(status: string): string[] {
	const lower = status.trim().toLowerCase();
	return /\bcancell?ed\b/.test(lower)
		? [lower.replace(/\bcancell?ed\b/, 'canceled'), lower.replace(/\bcancell?ed\b/, 'cancelled')]
		: [lower];
}

/** Each status that these licenses have, to read. */
export const statusesOf = (licenses: License[]): string => {
	const found = licenses.map(({ status }) => (typeof status === 'string' ? status.trim() : ''));
	return [...new Set(found.filter(Boolean))].sort().join(', ') || 'none';
};
