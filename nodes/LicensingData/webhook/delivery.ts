import { isObject, parseJson } from '../transport/answer';
import { faultOf } from '../transport/records';
import type { License } from '../domain/license';
import { findChoice } from '../domain/choice';
import { ALL_EVENT_TYPES } from '../domain/eventTypes';

export interface Delivery {
	license: License;
	/** What tells it from other deliveries, if the service says so. A repetition has the same. */
	id?: string;
}

/**
 * What a delivery holds, or undefined if there is no license. The interface leaves the exact shape open: the
 * record may be `data` or `data.license`, and its kind may be in `type` or `event`. What stands beside the
 * record about its status is kept with it.
 */
export function readDelivery(body: Buffer): Delivery | undefined {
	const delivery = parseJson(body);
	if (!isObject(delivery) || !isObject(delivery.data)) return undefined;
	const { data, id } = delivery;
	const isBeside = isObject(data.license);
	const record: License = isBeside ? (data.license as License) : data;
	if (faultOf(record) !== undefined) return undefined;
	const kind = record.eventType ? undefined : (delivery.type ?? delivery.event);
	const { previousStatus, newStatus } = isBeside ? data : delivery;
	const license = {
		...record,
		...(typeof kind === 'string' && { eventType: toEventType(kind) }),
		...(isText(previousStatus) && { previousStatus }),
		...(isText(newStatus) && { newStatus }),
	};
	return { license, ...(isText(id) && { id: id as string }) };
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function toEventType(kind: string): string {
	const name = kind.trim().replace(/^license\./i, '');
	return findChoice(ALL_EVENT_TYPES, name) ?? name;
}
