import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { matcherOf, type FilterValues } from '../filters/filter';
import { readTriggerFilters, TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { withDistance } from '../filters/territoryFilter';
import { outputForm } from '../output/outputForm';
import { whereIn } from '../service/shown';
import { claim } from './claims';
import type { License } from '../licenses/license';
import { findLicenseType } from '../licenses/licenseTypes';
import { shortened } from '../licenses/readableText';
import { singleLine } from '../output/singleLine';
import { readDelivery } from './delivery';
import { secretOf } from './registration';
import { isSigned } from './signature';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** A license is a few kilobytes; n8n itself would take 16 megabytes from anyone. */
const LARGEST_BODY = 1_000_000;

/** Nothing in a delivery is looked at before the signature of its raw bytes has been checked. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const body = await readRawBody(request);
	if (!body) return turnAway(context, 413, 'it is too large');
	if (!isSigned(body, request.headers, await secretOf(context))) {
		return turnAway(context, 401, 'its signature is missing or does not match');
	}
	const license = readDelivery(body);
	if (!license) return turnAway(context, 400, 'it holds no license');
	return emit(context, license);
}

function emit(context: IWebhookFunctions, license: License): IWebhookResponseData {
	const filters = [TRIGGER_EVENTS, ...WEBHOOK_FILTERS];
	const wanted = readTriggerFilters(filters, context);
	if (!matcherOf(filters, withoutUnknownType(context, license, wanted))(license)) return {};
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	const workflowData = [[{ json: form(withDistance(wanted)(license)) }]];
	// A user who listens for a test event may well send the same one again, and the live workflow gets it, too.
	if (context.getMode() === 'manual') return { workflowData };
	const { state, confirm } = claim(context, license);
	// Accepted, and nothing to do.
	if (state === 'taken') return {};
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

/** Deliveries may call types by labels of their own. One that is not known is better a lead too many than lost. */
function withoutUnknownType(
	{ logger }: IWebhookFunctions,
	{ licenseType }: License,
	wanted: FilterValues,
): FilterValues {
	if (wanted.licenseTypes === undefined || findLicenseType(licenseType)) return wanted;
	const type = shortened(String(singleLine(licenseType)), 100);
	logger.info(`A delivery passed 'License Types' because its type is not known: ${type}`);
	return { ...wanted, licenseTypes: undefined };
}

/**
 * The bytes as they arrived, or undefined if there are too many. n8n has not read them yet, because the
 * node's hidden parameter 'Options' tells it not to.
 */
async function readRawBody(request: Request): Promise<Buffer | undefined> {
	if (Number(request.headers['content-length']) > LARGEST_BODY) return undefined;
	try {
		if (!request.rawBody) await request.readRawBody();
	} catch (error) {
		// A body that was cut off counts as empty, which no signature matches.
		return (error as { status?: unknown }).status === 413 ? undefined : Buffer.alloc(0);
	}
	return request.rawBody.length > LARGEST_BODY ? undefined : request.rawBody;
}

function turnAway(
	context: IWebhookFunctions,
	status: number,
	reason: string,
): IWebhookResponseData {
	context.logger.debug(`${whereIn(context)}A delivery was answered with ${status}: ${reason}`);
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}
