import type { IHookFunctions } from 'n8n-workflow';

import { cannotGoOn, Failure, refusal } from '../domain/failure';
import type { Service } from '../transport/request';
import { connect, DEFAULT_SETTINGS } from '../transport/request';
import type { WebhookRequest } from '../transport/webhooks';
import { createWebhook, deleteWebhook, listWebhooks } from '../transport/webhooks';
import { withHyphens } from '../domain/counties';
import { EVENT_TYPES } from '../domain/eventTypes';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../parameters/licenseFilters';
import type { Registration } from './savedState';
import { keepRegistration, registrationOf } from './savedState';
import { enteredSecret, isSecret } from './enteredSecret';

/** Milliseconds for all that a registration asks of the service, while the user waits. */
const DEADLINE = 60_000;

/** A node leaves one behind at a time. Whatever has more is no node's doing. */
const MOST_REMOVED = 20;

async function connectInTime(context: IHookFunctions): Promise<Service> {
	const end = Date.now() + DEADLINE;
	return await connect(context, { ...DEFAULT_SETTINGS, timeLeft: () => end - Date.now() });
}

export const isManual = (context: Pick<IHookFunctions, 'getNodeParameter'>): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

/** Whether deliveries will come with nothing more to do. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	if (isManual(context)) {
		await expectEnteredSecret(context);
		// Left over from when the node registered itself, if it could not be removed then.
		await unregister(context);
		return true;
	}
	const stored = registrationOf(context);
	if (stored?.request !== JSON.stringify(requestOf(context))) return false;
	const listed = await listWebhooks(await connectInTime(context));
	if (listed?.some(({ id }) => id === stored.id) === false) return false;
	// Whoever has entered another secret has rotated it, and activates the workflow to make it count.
	const entered = await enteredSecret(context);
	if (entered !== '' && stored.secret !== undefined && entered !== stored.secret)
		keepRegistration(context, { id: stored.id, request: stored.request });
	return true;
}

export async function register(context: IHookFunctions): Promise<void> {
	const service = await connectInTime(context);
	const request = requestOf(context);
	await removeAll(context, service, request.url);

	const { id, secret } = await createWebhook(service, request).catch(async (error: unknown) => {
		// It may be registered anyway, if the answer got lost or makes no sense.
		await removeAll(context, service, request.url).catch(() => {});
		throw error;
	});
	const given = secret !== undefined && isSecret(secret) ? secret : undefined;
	keepRegistration(context, { id, secret: given, request: JSON.stringify(request) });
	if (given === undefined && (await enteredSecret(context)) === '') {
		await removeAll(context, service, request.url).catch(() => {});
		throw cannotGoOn(
			'The service gave no signing secret, so deliveries could not be checked',
			"The service may show the secret elsewhere. Enter it as 'Webhook Secret' in the Licensing Data credential.",
		);
	}
}

/**
 * Never fails, or a workflow could not be switched off while the service is down. What could not be removed
 * stays on record, and the next activation uses or removes it.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const registration = registrationOf(context);
	if (!registration) return true;
	try {
		await removeStored(context, await connectInTime(context), registration);
		return true;
	} catch (error) {
		warnOf(registration.id, error, context);
		return false;
	}
}

async function removeStored(
	context: IHookFunctions,
	service: Service,
	{ id }: Registration,
): Promise<void> {
	await deleteWebhook(service, id);
	keepRegistration(context, undefined);
}

/** The URL is this node's alone, so every registration that names it is a leftover. */
async function removeAll(context: IHookFunctions, service: Service, url: string): Promise<void> {
	// A webhook that the service refuses to remove must not keep the workflow from being published.
	const orWarn = (id: string) => (error: unknown) => {
		if (!(error instanceof Failure) || error.isTransient) throw error;
		warnOf(id, error, context);
	};
	const registration = registrationOf(context);
	if (registration) {
		await removeStored(context, service, registration).catch(orWarn(registration.id));
	}
	const leftovers = ((await listWebhooks(service)) ?? []).filter((one) => one.url === url);
	for (const { id } of leftovers.slice(0, MOST_REMOVED)) {
		await deleteWebhook(service, id).catch(orWarn(id));
	}
}

function warnOf(id: string, error: unknown, { logger }: IHookFunctions): void {
	const { message } = error as Error;
	logger.warn(`The webhook ${id} could not be removed from the service: ${message}`);
}

async function expectEnteredSecret(context: IHookFunctions): Promise<void> {
	if ((await enteredSecret(context)) !== '') return;
	throw refusal(
		"'Webhook Secret' is empty, so deliveries could not be checked",
		"Register the URL of this node with the service, and enter the signing secret that it shows as 'Webhook Secret' in the Licensing Data credential.",
	);
}

function requestOf(context: IHookFunctions): WebhookRequest {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...WEBHOOK_FILTERS], context);
	const { eventTypes, counties, licenseTypes } = values as Record<string, string[] | undefined>;
	return {
		url: String(context.getNodeWebhookUrl('default')),
		// Whether an empty list means all or none is not documented, so all are named.
		events: eventTypes ?? EVENT_TYPES.map(({ value }) => value),
		...(counties && { counties: counties.map(withHyphens) }),
		...(licenseTypes && { license_types: licenseTypes }),
	};
}
