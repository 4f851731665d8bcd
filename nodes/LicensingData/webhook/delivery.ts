import { isObject, sanitize } from '../transport/answer';
import type { License } from '../domain/license';
import { findChoice } from '../domain/choice';
import { EVENT_TYPES } from '../domain/eventTypes';

/**
 * The license in a delivery, or undefined if there is none. The interface leaves the exact shape open: the
 * record may be `data` or `data.license`, and its kind may be in `type` or `event`.
 */
export function readDelivery(body: Buffer): License | undefined {
	const delivery = parse(body);
	if (!isObject(delivery) || !isObject(delivery.data)) return undefined;
	const { data } = delivery;
	const license: License = isObject(data.license) ? data.license : data;
	if (!isText(license.id) && !isText(license.licenseNumber)) return undefined;
	const kind = license.eventType ? undefined : (delivery.type ?? delivery.event);
	return typeof kind === 'string' ? { ...license, eventType: toEventType(kind) } : license;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function toEventType(kind: string): string {
	const name = kind.trim().replace(/^license\./i, '');
	return findChoice(EVENT_TYPES, name) ?? name;
}

function parse(body: Buffer): unknown {
	try {
		const delivery: unknown = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
		return sanitize(delivery) ? delivery : undefined;
	} catch {
		return undefined;
	}
}
