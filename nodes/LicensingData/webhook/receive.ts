import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { License } from '../api/types';
import { isSelected, toSelection } from '../fields/selection';
import { outputForm } from '../output';
import { readBody } from './body';
import { claim } from './claims';
import { readDelivery } from './delivery';
import { isManual, storedIn } from './registration';
import { enteredSecret } from './secret';
import { isSigned } from './signature';

/** Accepted, and nothing to do. */
const NO_EXECUTION: IWebhookResponseData = {};

/** Nothing of a delivery is looked at before its signature has been checked over the bytes as they came. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const body = await readBody(request);
	if (!body) return turnAway(context, 413, 'it is too large');
	if (!isSigned(body, request.headers['x-service-signature'], await secretOf(context))) {
		return turnAway(context, 401, 'its signature is missing or does not match');
	}
	const license = readDelivery(body);
	if (!license) return turnAway(context, 400, 'it holds no license');
	return emit(context, license);
}

function emit(context: IWebhookFunctions, license: License): IWebhookResponseData {
	const selection = toSelection(
		context.getNodeParameter('eventTypes', []),
		context.getNodeParameter('filters', {}) as object,
	);
	if (!isSelected(selection, license)) return NO_EXECUTION;
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	// Who listens for a test event may well send the same one again, and the live workflow gets it, too.
	if (context.getMode() !== 'manual') {
		const node = `${context.getWorkflow().id}/${context.getNode().id}`;
		switch (claim(node, license, context.getResponseObject())) {
			case 'taken':
				return NO_EXECUTION;
			case 'pending':
				return turnAway(context, 503, 'n8n is still at work on the same event');
		}
	}
	return { workflowData: [[{ json: form(license) }]] };
}

async function secretOf(context: IWebhookFunctions): Promise<string> {
	const registered = isManual(context) ? undefined : storedIn(context).registration?.secret;
	return registered ?? (await enteredSecret(context));
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
