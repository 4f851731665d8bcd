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
import { enteredSecret, isSecret } from './enteredSecret';

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

const isManual = (context: Pick<Context, 'getNodeParameter'>): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

/** Whether deliveries will come with nothing more to do: after a restart of n8n, or if the user sees to it. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	if (!isManual(context)) {
		return context.getActivationMode() === 'init' && ownRegistration(context) !== undefined;
	}
	if ((await enteredSecret(context)) === '') {
		throw refusal(
			"'Webhook Secret' is empty, so deliveries could not be checked",
			"Register the URL of this node with the service, and enter the signing secret that it shows as 'Webhook Secret' in the Licensing Data credential.",
		);
	}
	// Left over from when the node registered itself, if it could not be removed then.
	await unregister(context);
	return true;
}

export async function register(context: IHookFunctions): Promise<void> {
	const saved = savedIn(context);
	const before = ownRegistration(context);
	const request = requestOf(context);
	await unregister(context);
	const { id, secret = '' } = await createWebhook(await connectInTime(context), request);
	const entered = await enteredSecret(context);
	// Whoever has entered another secret than the service gives again has rotated it.
	const isReplaced = entered !== '' && secret === before?.secret;
	const isUsable = isSecret(secret) && !isReplaced;
	saved.registration = { id, url: request.url, ...(isUsable && { secret }) };
	if (isUsable || entered !== '') return;
	await unregister(context);
	throw cannotGoOn(
		'The service gave no signing secret, so deliveries could not be checked',
		"The service may show the secret elsewhere. Enter it as 'Webhook Secret' in the Licensing Data credential.",
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

/** After a rotation, the one that the user has entered is newer than the one of the registration. */
export async function secretsOf(context: IWebhookFunctions): Promise<string[]> {
	const registered = isManual(context) ? undefined : savedIn(context).registration?.secret;
	return [registered ?? '', await enteredSecret(context)].filter(Boolean);
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
