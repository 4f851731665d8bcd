import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type FilterValues, matcherOf } from '../filters/filter';
import { readTriggerFilters } from '../filters/licenseFilters';
import { withDistance } from '../filters/placeFilters';
import { eventHash } from '../licenses/eventIdentity';
import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import { findChoice } from '../licenses/findChoice';
import type { License } from '../licenses/license';
import { findLicenseType } from '../licenses/licenseTypes';
import { isObject, textOf } from '../licenses/text';
import { momentOf } from '../licenses/time';
import { singleLine } from '../output/fields';
import { outputForm } from '../output/outputForms';
import { faultOf, parseJson } from '../service/answer';
import { credentialOf, redactIn } from '../service/client';
import { whereIn } from '../service/nodeError';
import { FILTERS, secretOf } from './registration';

/** Nothing in a delivery is looked at before the signature of its raw bytes has been checked. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	// n8n has not read it: see 'Options'. What is cut off, or more than n8n takes, is empty, and nothing signs that.
	await request.readRawBody().catch(() => undefined);
	const body = request.rawBody ?? Buffer.alloc(0);
	const hasProof = isSigned(body, request.headers, await secretOf(context));
	const license = hasProof ? readDelivery(body) : undefined;
	if (license) return await emit(context, license);
	const [status, reason] = hasProof
		? [400, 'it holds no license']
		: [401, 'its signature is missing or does not match'];
	context.logger.debug(`${whereIn(context)}A delivery was answered with ${status}: ${reason}`);
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}

async function emit(context: IWebhookFunctions, license: License): Promise<IWebhookResponseData> {
	const wanted = readTriggerFilters(FILTERS, context);
	const asked = await withoutUnknownType(context, license, wanted);
	if (!matcherOf(FILTERS, asked)(license)) return {};
	const events = takenEvents(context);
	// A user who listens for a test event may well send the same one again, and the live workflow gets it, too.
	const isTest = context.getMode() === 'manual';
	if (!isTest && events.has(license)) return {};
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	return {
		workflowData: [[{ json: form(withDistance(wanted)(license)) }]],
		/**
		 * n8n asks for the answer once the execution exists, and saves static data next. If it could not start one,
		 * the service sends the event again. Changes made any earlier are not saved: to start an execution, n8n wraps
		 * static data again, and forgets that anything was changed. If this is undefined, n8n answers by itself.
		 */
		get webhookResponse() {
			if (!isTest) events.add(license);
			return undefined;
		},
	};
}

/** Deliveries may call types by labels of their own. One that is not known is better a lead too many than lost. */
async function withoutUnknownType(
	context: IWebhookFunctions,
	{ licenseType }: License,
	wanted: FilterValues,
): Promise<FilterValues> {
	if (wanted.licenseTypes === undefined || findLicenseType(licenseType)) return wanted;
	const redact = await redactIn(credentialOf(context));
	context.logger.info(
		`${whereIn(context)}A delivery passed 'License Types' because its license type is not known: ${singleLine(redact(textOf(licenseType))) || 'none'}`,
	);
	return { ...wanted, licenseTypes: undefined };
}

/** The interface shows the digest both with and without a prefix. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** The interface's is X-Service-Signature. Other services name it after themselves. */
const HEADER = /^x-.+-signature$/;

/** Tells whether the sender of these bytes knows the secret. The signature proves that, whatever its header is called. */
function isSigned(body: Buffer, headers: Record<string, unknown>, secret: string): boolean {
	if (secret === '') return false;
	const expected = createHmac('sha256', secret).update(body).digest();
	return Object.entries(headers).some(([name, value]) => {
		const [, digest] = (HEADER.test(name) && SIGNATURE.exec(String(value).trim())) || [];
		return digest !== undefined && timingSafeEqual(Buffer.from(digest, 'hex'), expected);
	});
}

/** 8 KB, because n8n copies static data into every execution. */
const MAX_EVENTS = 1_000;

/** By the address of the node. Simultaneous requests get copies of static data, and the last one is saved. */
const taken = new Map<string, string[]>();

/** The events that have started the workflow, as hashes, oldest first. */
export function takenEvents(context: IWebhookFunctions) {
	const node = String(context.getNodeWebhookUrl('default'));
	const saved = context.getWorkflowStaticData('node') as { takenEvents?: string };
	const known = () => [...(saved.takenEvents?.match(/.{8}/g) ?? []), ...(taken.get(node) ?? [])];
	return {
		has: (license: License) => known().includes(eventHash(license)),
		add(license: License) {
			const events = [...new Set([...known(), eventHash(license)])].slice(-MAX_EVENTS);
			taken.set(node, events);
			// Assigned as a whole, since n8n only notices assignments.
			saved.takenEvents = events.join('');
		},
	};
}

/** What a delivery says beside its record: what was, what is, and when. */
const SAID = /^(?:previous|new)[A-Z]|Date$/;

/**
 * What a delivery holds, or undefined if there is no license. The interface leaves the exact shape open: the
 * record may be `data` or `data.license`, and its kind and its time may stand in the delivery alone.
 */
function readDelivery(body: Buffer): License | undefined {
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
