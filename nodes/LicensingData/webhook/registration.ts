import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { cannotGoOn, refusal } from '../licenses/failure';
import type { Service } from '../service/request';
import { connect, DEFAULT_SETTINGS, redactIn } from '../service/request';
import { asLine, whereIn } from '../service/shown';
import type { WebhookRequest } from '../service/webhooks';
import { createWebhook, deleteWebhook } from '../service/webhooks';
import { withHyphens } from '../licenses/counties';
import { EVENT_TYPES } from '../licenses/eventTypes';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { usableSecret } from './secret';

const SECRET_CREDENTIAL = 'licensingDataWebhookApi';

/** Milliseconds for all that a registration asks of the service, while the user waits. */
const DEADLINE = 60_000;

type Context = IHookFunctions | IWebhookFunctions;

/** What n8n keeps of a registration between activation and deactivation. */
interface Registration {
	id: string;
	/** Where deliveries go. Another one belongs to the workflow that this one is a copy of. */
	url: string;
	/** Absent where the service gave none; then the one in the credential is used. */
	secret?: string;
}

const savedIn = (context: Context): { registration?: Registration } =>
	context.getWorkflowStaticData('node');

const urlOf = (context: IHookFunctions): string => String(context.getNodeWebhookUrl('default'));

/** What this workflow has registered, and not the one that it was copied from. */
function ownRegistration(context: IHookFunctions): Registration | undefined {
	const { registration } = savedIn(context);
	return registration?.url === urlOf(context) ? registration : undefined;
}

async function connectInTime(context: IHookFunctions): Promise<Service> {
	const end = Date.now() + DEADLINE;
	return await connect(context, { ...DEFAULT_SETTINGS, timeLeft: () => end - Date.now() });
}

const isManual = (context: Context): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

/** The signing secret of the registration, or that of the user. Empty if it is none, so nothing is signed by it. */
export async function secretOf(context: Context): Promise<string> {
	const { registration } = savedIn(context);
	const given = isManual(context)
		? (await context.getCredentials(SECRET_CREDENTIAL)).webhookSecret
		: registration?.secret;
	return usableSecret(given);
}

/** Whether deliveries will come with nothing more to do: after a restart of n8n, or if the user sees to it. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	if (!isManual(context)) {
		return context.getActivationMode() === 'init' && ownRegistration(context) !== undefined;
	}
	if ((await secretOf(context)) === '') {
		throw refusal(
			"'Webhook Secret' is empty or incomplete, so deliveries could not be checked",
			"Register the URL of this node with the service, and enter the signing secret that it shows as 'Webhook Secret' in the Licensing Data Webhook credential.",
		);
	}
	// Left over from when the node registered itself, if it could not be removed then.
	await unregister(context);
	return true;
}

export async function register(context: IHookFunctions): Promise<void> {
	const request = requestOf(context);
	await unregister(context);
	const webhook = await createWebhook(await connectInTime(context), request);
	savedIn(context).registration = { ...webhook, url: request.url };
	if ((await secretOf(context)) !== '') return;
	await unregister(context);
	throw cannotGoOn(
		'The service gave no signing secret, so deliveries could not be checked',
		"If the service shows the secret elsewhere, set 'Registration' to Manual and enter it as 'Webhook Secret'.",
	);
}

/**
 * Never fails, or a workflow could not be switched off while the service is down. What could not be removed
 * stays on record, and the next activation removes it.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const saved = savedIn(context);
	if (!saved.registration) return true;
	const { id } = ownRegistration(context) ?? {};
	try {
		if (id !== undefined) await deleteWebhook(await connectInTime(context), id);
		saved.registration = undefined;
		return true;
	} catch (error) {
		const line = `The webhook ${id} could not be removed from the service: ${(error as Error).message}`;
		context.logger.warn(asLine(whereIn(context) + line, await redactIn(context)));
		return false;
	}
}

function requestOf(context: IHookFunctions): WebhookRequest {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...WEBHOOK_FILTERS], context);
	const { eventTypes, counties, licenseTypes } = values as Record<string, string[] | undefined>;
	return {
		url: urlOf(context),
		// Whether an empty list means all or none is not documented, so all are named.
		events: eventTypes ?? EVENT_TYPES.map(({ value }) => value),
		...(counties && { counties: counties.map(withHyphens) }),
		...(licenseTypes && { license_types: licenseTypes }),
	};
}
