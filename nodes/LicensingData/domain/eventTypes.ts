import type { Choice } from './choice';

export const NEW_FILING = 'new_filing';

export const EVENT_TYPES: Choice[] = [
	{ name: 'Cancellation', value: 'cancellation' },
	{ name: 'New Filing', value: NEW_FILING },
	{ name: 'Ownership Transfer', value: 'ownership_transfer' },
	{ name: 'Renewal', value: 'renewal' },
	{ name: 'Status Change', value: 'status_change' },
];

/** Those and what else a delivery may say. The service's lists are not asked for it: nobody documents that. */
export const DELIVERED_EVENT_TYPES: Choice[] = [
	...EVENT_TYPES,
	{ name: 'Address Change', value: 'address_change' },
];
