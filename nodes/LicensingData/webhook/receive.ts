import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { matcherOf } from '../parameters/filter';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { outputForm } from '../output/outputForm';
import { readRawBody } from './rawBody';
import { claim } from './claims';
import type { Delivery } from './delivery';
import { readDelivery } from './delivery';
import { registrationOf } from './savedState';
import { isManual } from './registration';
import { enteredSecret } from './enteredSecret';
import { isSigned } from './signature';

/** Accepted, and nothing to do. */
const NO_EXECUTION: IWebhookResponseData = {};

/** Nothing in a delivery is looked at before the signature of its raw bytes has been checked. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const body = await readRawBody(request);
	if (!body) return turnAway(context, 413, 'it is too large');
	const secrets = await secretsOf(context);
	if (!secrets.some((secret) => isSigned(body, request.headers, secret))) {
		return turnAway(context, 401, 'its signature is missing or does not match');
	}
	const delivery = readDelivery(body);
	if (!delivery) return turnAway(context, 400, 'it holds no license');
	return emit(context, delivery);
}

function emit(context: IWebhookFunctions, delivery: Delivery): IWebhookResponseData {
	const { license } = delivery;
	const filters = [TRIGGER_EVENTS, ...WEBHOOK_FILTERS];
	const wanted = readTriggerFilters(filters, context);
	if (!matcherOf(filters, wanted)(license)) return NO_EXECUTION;
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	const workflowData = [[{ json: form(withDistance(wanted)(license)) }]];
	// A user who listens for a test event may well send the same one again, and the live workflow gets it, too.
	if (context.getMode() === 'manual') return { workflowData };
	const { state, confirm } = claim(context, delivery);
	if (state === 'taken') return NO_EXECUTION;
	if (state === 'pending') return turnAway(context, 503, 'n8n is still at work on the same event');
	return {
		workflowData,
		/**
		 * n8n asks for the answer once the execution exists, and saves static data next. Only changes made at
		 * this moment are saved: to start an execution, n8n wraps static data again, and forgets that anything
		 * was changed before. If this is undefined, n8n answers by itself.
		 */
		get webhookResponse() {
			confirm();
			return undefined;
		},
	};
}

/** After a rotation, the one that the user has entered is newer than the one of the registration. */
async function secretsOf(context: IWebhookFunctions): Promise<string[]> {
	const registered = isManual(context) ? undefined : registrationOf(context)?.secret;
	return [registered ?? '', await enteredSecret(context)].filter(Boolean);
}

function turnAway(
	context: IWebhookFunctions,
	status: number,
	reason: string,
): IWebhookResponseData {
	context.logger.debug(`A delivery was answered with ${status}: ${reason}`);
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}
