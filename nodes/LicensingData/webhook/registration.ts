import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHookFunctions,
	INodeCredentialTestResult,
	INodeProperties,
	IWebhookFunctions,
} from 'n8n-workflow';

import { field, filtersField } from '../filters/filter';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { withHyphens } from '../licenses/counties';
import { EVENT_TYPES } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import { textOf } from '../licenses/text';
import { outputFields } from '../output/outputForms';
import {
	connect,
	type Credential,
	credentialOf,
	DEFAULT_SETTINGS,
	redactIn,
} from '../service/client';
import { testLicensingDataApi } from '../service/credentialTest';
import { asLine, whereIn } from '../service/nodeError';
import { createWebhook, deleteWebhook, type Webhook } from '../service/webhookRequests';

/** What a delivery has to pass. */
export const FILTERS = [TRIGGER_EVENTS, ...WEBHOOK_FILTERS];

export const webhookFields: INodeProperties[] = [
	...TRIGGER_EVENTS.fields,
	filtersField(WEBHOOK_FILTERS),
	...outputFields(),
	// Makes n8n leave the body alone: its JSON and XML parsers would see it before the signature is checked.
	field('Options', 'options', 'hidden', { binaryData: true }, {}),
];

type Context = IHookFunctions | IWebhookFunctions;

/** What n8n keeps of a registration. One for another URL belongs to the workflow that this one is a copy of. */
const savedIn = (context: Context): { registration?: Webhook & { url: string } } =>
	context.getWorkflowStaticData('node');

const urlOf = (context: IHookFunctions): string => String(context.getNodeWebhookUrl('default'));

/** The signing secret of the user, or else of the registration. Empty if it is none, so nothing is signed by it. */
export async function secretOf(context: Context): Promise<string> {
	return usableSecret((await enteredIn(context)) || savedIn(context).registration?.secret);
}

const enteredIn = async (context: Context): Promise<string> =>
	textOf((await credentialOf(context)()).webhookSecret).trim();

/** Tells that there is nothing to do, as after a restart of n8n. A change of the workflow unregisters first. */
export const isRegistered = (context: IHookFunctions): boolean =>
	savedIn(context).registration?.url === urlOf(context);

export async function register(context: IHookFunctions, credential: Credential): Promise<boolean> {
	const { eventTypes, counties, licenseTypes } = readTriggerFilters(FILTERS, context);
	const url = urlOf(context);
	if ((await enteredIn(context)) === '') {
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
		"Register this node's URL with the service, and copy the signing secret it gives you into 'Webhook Secret' of the Licensing Data Webhook API credential.",
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
	const secret = textOf(given).trim();
	const isWhole = secret.length >= 16 && secret.length <= 1_000;
	return isWhole && !/[*•●…]|(.)\1{7}/u.test(secret) ? secret : '';
}

/** Only a delivery shows whether an entered secret is the right one. */
export async function testLicensingDataWebhookApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const secret = textOf(credential.data?.webhookSecret).trim();
	const message = "'Webhook Secret' is not whole. Copy it from the service again.";
	if (secret !== usableSecret(secret)) return { status: 'Error', message };
	return await testLicensingDataApi.call(this, credential);
}
