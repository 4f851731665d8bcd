import { isObject, parseJson } from '../service/answer';
import { faultOf } from '../service/records';
import type { License } from '../licenses/license';
import { findChoice } from '../licenses/choice';
import { ALL_EVENT_TYPES } from '../licenses/eventTypes';

/**
 * What a delivery holds, or undefined if there is no license. The interface leaves the exact shape open: the
 * record may be `data` or `data.license`, and its kind may be in `type` or `event`. What stands beside the
 * record about its status is kept with it.
 */
export function readDelivery(body: Buffer): License | undefined {
	const delivery = parseJson(body);
	if (!isObject(delivery) || !isObject(delivery.data)) return undefined;
	const { data } = delivery;
	const isBeside = isObject(data.license);
	const record: License = isBeside ? (data.license as License) : data;
	if (faultOf(record) !== undefined) return undefined;
	const kind = record.eventType ? undefined : (delivery.type ?? delivery.event);
	const { previousStatus, newStatus } = isBeside ? data : delivery;
	return {
		...record,
		...(typeof kind === 'string' && { eventType: toEventType(kind) }),
		...(isText(previousStatus) && { previousStatus }),
		...(isText(newStatus) && { newStatus }),
	};
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function toEventType(kind: string): string {
	const name = kind.trim().replace(/^license\./i, '');
	return findChoice(ALL_EVENT_TYPES, name) ?? name;
}
