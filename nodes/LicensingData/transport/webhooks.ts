import type { IDataObject } from 'n8n-workflow';

import { isObject } from './answer';
import { LONGEST_ID } from '../domain/bounds';
import { Failure, isNotFound, unexpectedAnswer } from '../domain/failure';
import type { Path } from './connection';
import type { Reader, Service } from './request';

/** What POST /webhooks takes. A selection that is left out asks for everything. */
export interface WebhookRequest {
	url: string;
	events: string[];
	counties?: string[];
	license_types?: string[];
}

export interface Webhook {
	id: string;
	url?: string;
	secret?: string;
}

export async function createWebhook(service: Service, request: WebhookRequest): Promise<Webhook> {
	try {
		const body: IDataObject = { ...request };
		return await service({ method: 'POST', path: '/webhooks', body }, readCreated);
	} catch (error) {
		throw isNotOffered(error) ? notOffered(error) : error;
	}
}

/** Undefined if the service cannot tell: the interface shows no way to ask. */
export async function listWebhooks(service: Service): Promise<Webhook[] | undefined> {
	return await service({ path: '/webhooks' }, readWebhooks).catch((error: unknown) => {
		// A restart of n8n must not lose a registration because the service was busy at that moment.
		const cannotTell = isNotOffered(error) || (error instanceof Failure && error.isTransient);
		if (!cannotTell) throw error;
		return undefined;
	});
}

/** One that is already gone counts as removed. */
export async function deleteWebhook(service: Service, id: string): Promise<void> {
	const path: Path = `/webhooks/${encodeURIComponent(id)}`;
	await service({ method: 'DELETE', path }, () => undefined).catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
}

const isNotOffered = (error: unknown): error is Failure =>
	error instanceof Failure && [404, 405, 501].includes(error.status ?? 0);

function notOffered({ facts: { status, requestId } }: Failure): Failure {
	return new Failure(
		'status',
		'The service does not offer push delivery yet. Use the Licensing Data Trigger, which polls, until it does',
		"If the service does offer it, check 'Base URL' in the Licensing Data credential; it ends in the version, such as /v1.",
		{ status, requestId },
	);
}

/** In a path, the first would lead to another address, and the others cannot be sent. */
const NO_ID = /^\.{0,2}$|\p{Cc}|\p{Cs}/u;

/** Longer than any secret, and short enough to be kept. */
const LONGEST_SECRET = 1_000;

const readCreated: Reader<Webhook> = (body, reveals) => {
	const webhook = readWebhook(body, reveals);
	if (!webhook) throw unexpectedAnswer('The answer has no usable ID for the new webhook.');
	return webhook;
};

const readWebhooks: Reader<Webhook[] | undefined> = (body, reveals) => {
	const outer = isObject(body) ? body : {};
	const list = [body, outer.data, outer.webhooks].find((value) => Array.isArray(value));
	return (list as unknown[] | undefined)?.flatMap((entry) => readWebhook(entry, reveals) ?? []);
};

/**
 * The interface announces webhooks but shows no answer, so the values are looked for wherever services
 * commonly put them. The ID ends up in addresses, logs and n8n's database, and the secret in the database, so
 * neither may hold the API key.
 */
function readWebhook(body: unknown, reveals: (text: string) => boolean): Webhook | undefined {
	const outer = isObject(body) ? body : {};
	const data = isObject(outer.data) ? outer.data : {};
	const inner = [data.webhook, outer.webhook].filter(isObject);
	// An envelope may have its own ID, so the innermost comes first.
	const find = (...names: string[]) =>
		[...inner, data, outer]
			.flatMap((place) => names.map((name) => place[name]))
			.find((value) => (typeof value === 'string' && value !== '') || typeof value === 'number')
			?.toString();
	const id = find('id', 'webhook_id', 'webhookId');
	if (id === undefined || id.length > LONGEST_ID || NO_ID.test(id) || reveals(id)) return undefined;
	const secret = find('secret', 'signing_secret', 'signingSecret', 'webhook_secret');
	const isUsable = secret !== undefined && secret.length <= LONGEST_SECRET && !reveals(secret);
	return { id, url: find('url'), secret: isUsable ? secret : undefined };
}
