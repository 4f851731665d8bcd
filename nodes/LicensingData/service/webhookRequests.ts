import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { isObject } from '../licenses/text';
import { MAX_ID, unexpectedAnswer } from './answer';
import type { Service } from './client';
import { hasStatus } from './httpFailures';

export interface Webhook {
	id: string;
	/** The secret that the service gave, if it did. */
	secret?: string;
}

/** A selection that is left out asks for everything. */
export async function createWebhook(service: Service, body: IDataObject): Promise<Webhook> {
	const request = { method: 'POST' as const, path: '/webhooks', body };
	return await service(request, readCreated).catch((error: unknown) => {
		if (!hasStatus(error, 404, 405, 501)) throw error;
		const { status, requestId } = error.facts;
		throw new Failure(
			'The service does not offer push delivery yet. Until it does, use the Licensing Data Trigger, which polls',
			"If you know that it does, check 'Base URL' in the Licensing Data credential; most base URLs end in a version, such as /v1.",
			{ status, requestId },
		);
	});
}

/** One that is already gone counts as removed. */
export async function deleteWebhook(service: Service, id: string): Promise<void> {
	const path = `/webhooks/${encodeURIComponent(id)}`;
	await service({ method: 'DELETE', path }, () => undefined).catch((error: unknown) => {
		if (!hasStatus(error, 404)) throw error;
	});
}

/** It becomes part of an address, in which a point or a slash would lead elsewhere. */
const ID = /^[\w:-]+$/;

/**
 * The interface announces webhooks but shows no answer: like a license, a webhook may be in `data`. The ID ends up
 * in addresses, logs and n8n's database, and the secret in the database, so neither may hold the API key.
 */
function readCreated(body: unknown, reveals: (text: string) => boolean): Webhook {
	const outer = isObject(body) ? body : {};
	const { id, secret } = isObject(outer.data) ? outer.data : outer;
	if (typeof id !== 'string' || id.length > MAX_ID || !ID.test(id) || reveals(id))
		throw unexpectedAnswer('The answer has no usable ID for the new webhook.');
	return { id, ...(typeof secret === 'string' && !reveals(secret) && { secret }) };
}
