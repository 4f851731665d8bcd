import { type Choice, findChoice } from './findChoice';
import type { License } from './license';
import { textOf } from './text';

/** The interface does not list them. These have been seen; almost all licenses are active. */
const STATUS_NAMES = ['Active', 'Approved', 'Canceled', 'Expired', 'Pending', 'Suspended'];

export const STATUSES: Choice[] = STATUS_NAMES.map((name) => ({
	name,
	value: name.toLowerCase().replace('canceled', 'cancelled'),
}));

/** The status as the service writes it; an unknown one as it is, in lowercase. */
export const statusOf = (given: unknown): string =>
	findChoice(STATUSES, given) ?? textOf(given).trim().toLowerCase();

/** Each status that these licenses have, to read. */
export const statusesOf = (licenses: License[]): string => {
	const found = licenses.map(({ status }) => (typeof status === 'string' ? status.trim() : ''));
	return [...new Set(found.filter(Boolean))].sort().join(', ') || 'none';
};
