import { faultOf, isObject, parseJson } from '../service/answer';
import type { License } from '../licenses/license';
import { ALL_EVENT_TYPES, findChoice } from '../licenses/knownValues';
import { momentOf } from '../licenses/text';

/** What a delivery says beside its record: what was, what is, and when. */
const SAID = /^(?:previous|new)[A-Z]|Date$/;

/**
 * What a delivery holds, or undefined if there is no license. The interface leaves the exact shape open: the
 * record may be `data` or `data.license`, and its kind and its time may stand in the delivery alone.
 */
export function readDelivery(body: Buffer): License | undefined {
	const delivery = parseJson(body);
	if (!isObject(delivery) || !isObject(delivery.data)) return undefined;
	const { license = delivery.data } = delivery.data;
	if (faultOf(license) !== undefined) return undefined;
	const record = license as License;
	const beside = { ...delivery, ...(license !== delivery.data && delivery.data) };
	const said = Object.entries(beside).filter(([name]) => SAID.test(name) && record[name] == null);
	const kind = delivery.type ?? delivery.event;
	const time = [delivery.created, delivery.timestamp].map(toIso).find(Boolean);
	return {
		...record,
		...Object.fromEntries(said),
		...(!record.eventType && typeof kind === 'string' && { eventType: toEventType(kind) }),
		...(momentOf(record.eventTimestamp) === undefined && time && { eventTimestamp: time }),
	};
}

function toEventType(kind: string): string {
	const name = kind.trim().replace(/^license\./i, '');
	return findChoice(ALL_EVENT_TYPES, name) ?? name;
}

/** Some services count seconds since 1970. */
function toIso(time: unknown): string | undefined {
	if (typeof time !== 'number') return momentOf(time) === undefined ? undefined : String(time);
	const milliseconds = time < 1e11 ? time * 1000 : time;
	return milliseconds > 0 && milliseconds < 8e15 ? new Date(milliseconds).toISOString() : undefined;
}
