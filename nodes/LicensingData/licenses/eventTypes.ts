import { type Choice, findChoice } from './findChoice';
import type { License } from './license';

export const NEW_FILING = 'new_filing';

/** Those that the interface lists: what is counted and divided by event is asked for these. */
export const EVENT_TYPES: Choice[] = [
	{ name: 'Cancellation', value: 'cancellation' },
	{ name: 'New Filing', value: NEW_FILING },
	{ name: 'Ownership Transfer', value: 'ownership_transfer' },
	{ name: 'Renewal', value: 'renewal' },
	{ name: 'Status Change', value: 'status_change' },
];

/** These, and what a service has besides. */
export const ALL_EVENT_TYPES: Choice[] = [
	{ name: 'Address Change', value: 'address_change' },
	...EVENT_TYPES,
];

export const eventName = (event: string | undefined): string | undefined =>
	ALL_EVENT_TYPES.find(({ value }) => value === event)?.name;

/** One of those that are known, however it is written. */
export const eventOf = ({ eventType }: License): string | undefined =>
	findChoice(ALL_EVENT_TYPES, eventType);
