import type {
	ICredentialTestFunctions,
	IHookFunctions,
	INodeCredentialTestResult,
	INodeProperties,
	IWebhookFunctions,
} from 'n8n-workflow';

import { field, filtersField } from '../filters/filter';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { Failure } from '../licenses/failure';
import { EVENT_TYPES, withHyphens } from '../licenses/knownValues';
import {
	connect,
	credentialOf,
	DEFAULT_SETTINGS,
	redactIn,
	type Credential,
} from '../service/client';
import { asLine, whereIn } from '../service/nodeError';
import { outputFields } from '../output/outputForms';
import { createWebhook, deleteWebhook, type Webhook } from '../service/requests';

/** What a delivery has to pass. */
export const FILTERS = [TRIGGER_EVENTS, ...WEBHOOK_FILTERS];

export const webhookFields: INodeProperties[] = [
	...TRIGGER_EVENTS.fields,
	filtersField(WEBHOOK_FILTERS),
	...outputFields(),
	field('Registration', 'registration', 'options', 'automatic', {
		noDataExpression: true,
		description:
			"How the service learns where to send events. Automatic: the node registers its URL with the service for as long as it listens. Manual: you register the URL above, and enter the service's secret in the webhook credential.",
		options: [
			{ name: 'Automatic', value: 'automatic' },
			{ name: 'Manual', value: 'manual' },
		],
	}),
	// Makes n8n leave the body alone: its JSON and XML parsers would see it before the signature is checked.
	field('Options', 'options', 'hidden', { binaryData: true }, {}),
];

type Context = IHookFunctions | IWebhookFunctions;

/** What n8n keeps of a registration. One for another URL belongs to the workflow that this one is a copy of. */
const savedIn = (context: Context): { registration?: Webhook & { url: string } } =>
	context.getWorkflowStaticData('node');

const urlOf = (context: IHookFunctions): string => String(context.getNodeWebhookUrl('default'));

const isManual = (context: Context): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

/** The signing secret of the registration, or that of the user. Empty if it is none, so nothing is signed by it. */
export async function secretOf(context: Context): Promise<string> {
	const given = isManual(context)
		? (await context.getCredentials('licensingDataWebhookApi')).webhookSecret
		: savedIn(context).registration?.secret;
	return usableSecret(given);
}

/** Whether there is nothing to do, as after a restart of n8n. A change of the workflow unregisters first. */
export const isRegistered = (context: IHookFunctions): boolean =>
	!isManual(context) && savedIn(context).registration?.url === urlOf(context);

export async function register(context: IHookFunctions, credential: Credential): Promise<boolean> {
	const values = readTriggerFilters(FILTERS, context) as Record<string, string[] | undefined>;
	const { eventTypes, counties, licenseTypes } = values;
	const url = urlOf(context);
	if (!isManual(context)) {
		const webhook = await createWebhook(await connect(context, DEFAULT_SETTINGS, credential), {
			url,
			// Whether an empty list means all or none is not documented, so all are named.
			events: eventTypes ?? EVENT_TYPES.map(({ value }) => value),
			counties: counties?.map(withHyphens),
			license_types: licenseTypes,
		});
		savedIn(context).registration = { ...webhook, url };
	}
	if ((await secretOf(context)) !== '') return true;
	await unregister(context);
	throw new Failure(
		'There is no usable signing secret, so deliveries could not be checked',
		"Set 'Registration' to Manual, register this node's URL with the service, and copy the signing secret it gives you into 'Webhook Secret' of the Licensing Data Webhook credential.",
	);
}

/** Never fails, or a workflow could not be switched off while the service is down. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const credential = credentialOf(context);
	const saved = savedIn(context);
	const { id, url } = saved.registration ?? {};
	saved.registration = undefined;
	try {
		if (id !== undefined && url === urlOf(context))
			await deleteWebhook(await connect(context, DEFAULT_SETTINGS, credential), id);
	} catch (error) {
		const line = `The webhook ${id} could not be removed from the service: ${(error as Error).message}`;
		context.logger.warn(asLine(whereIn(context) + line, await redactIn(credential)));
	}
	return true;
}

/** Without spaces around it. Empty for a slip, and for what a page shows in the place of a secret. */
function usableSecret(given: unknown): string {
	const secret = typeof given === 'string' ? given.trim() : '';
	const isWhole = secret.length >= 16 && secret.length <= 1_000;
	return isWhole && !/[*•●…]|(.)\1{7}/u.test(secret) ? secret : '';
}

/** Only a delivery shows whether it is the right one. */
export async function testLicensingDataWebhookApi(
	this: ICredentialTestFunctions,
	{ data }: { data?: { webhookSecret?: unknown } },
): Promise<INodeCredentialTestResult> {
	return usableSecret(data?.webhookSecret) === ''
		? { status: 'Error', message: 'This is not a whole secret. Copy it from the service again.' }
		: { status: 'OK', message: 'The first delivery will show whether this is the right secret' };
}
