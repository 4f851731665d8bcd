import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';

import { isObject, misshapen, readJson, type Answer } from './answer';
import { discard, readText } from './body';
import { toConnection, type Connection } from './connection';
import { Failure } from './failure';
import { networkFailure, noTimeLeft, timeoutFailure } from './network';
import type { Pace } from './pace';
import { pause } from './pause';
import { waitBefore } from './retry';
import { failureFor, saidIn } from './status';

export const CREDENTIAL = 'licensingDataApi';

export type ServiceContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions;

export interface RequestSettings {
	/** How often a request is tried again after the first time. */
	retries: number;
	/** Milliseconds that one try may take. */
	timeout: number;
	/** Milliseconds that are left for everything, for callers with a budget. */
	timeLeft?: () => number;
	/** Shared by requests that are made at the same time. */
	pace?: Pace;
}

export const DEFAULT_SETTINGS: RequestSettings = { retries: 3, timeout: 30_000 };

/** Milliseconds. With less time than that left, an answer that stays out says nothing about the service. */
const SHORTEST_TRY = 100;

export interface ServiceRequest {
	method?: IHttpRequestMethods;
	/** Below the base URL, with a leading slash; parts that come from users are encoded by the caller. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
}

/** Asks the service, and brings the parsed body of a successful answer or throws a Failure. */
export type Service = (request: ServiceRequest) => Promise<unknown>;

/** Binds the credential once; every request of every operation goes through what this returns. */
export async function connect(
	context: ServiceContext,
	settings: RequestSettings = DEFAULT_SETTINGS,
): Promise<Service> {
	const connection = toConnection(await context.getCredentials(CREDENTIAL));
	const stopped =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	return async (request) => {
		for (let attempt = 0; ; attempt++) {
			const tryOnce = async () => await attemptOnce(context, connection, settings, request);
			const outcome = await (settings.pace?.through(tryOnce, attempt > 0) ?? tryOnce());
			if (!(outcome instanceof Failure)) return outcome;
			const wait = mayRepeat(request, outcome)
				? waitBefore(attempt, outcome.retryAfter, Math.random())
				: undefined;
			const isLast = attempt >= settings.retries;
			if (isLast || wait === undefined || wait + SHORTEST_TRY > timeLeft(settings)) throw outcome;
			if (outcome.status === 429 && settings.pace) settings.pace.slowDown(wait);
			else await pause(wait, stopped);
		}
	};
}

async function attemptOnce(
	context: ServiceContext,
	{ baseUrl, apiKey }: Connection,
	settings: RequestSettings,
	{ method = 'GET', path, query, body }: ServiceRequest,
): Promise<unknown> {
	if (timeLeft(settings) < SHORTEST_TRY) return noTimeLeft();
	const timeout = Math.min(settings.timeout, timeLeft(settings));
	let answer: Answer | Failure;
	try {
		const sent = context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
			method,
			url: baseUrl + path,
			qs: query,
			body,
			json: true,
			// n8n would read without end, and hand on broken JSON as if it were an answer.
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			// n8n would carry the key along to wherever a redirect points.
			disableFollowRedirect: true,
			timeout,
		}) as Promise<IN8nHttpFullResponse>;
		answer = await within(sent, timeout);
	} catch (error) {
		return networkFailure(error, timeout);
	}
	if (answer instanceof Failure) return answer;
	if (answer.statusCode < 200 || answer.statusCode > 299) {
		return failureFor(answer, apiKey, Date.now());
	}
	// Nothing is left to say about what was removed, and most services say just that.
	if (method === 'DELETE') return undefined;
	try {
		const read = readJson(answer);
		const said = isObject(read) && read.data === undefined && saidIn(answer, apiKey);
		return said ? misshapen('It held a message in the place of data.', said) : read;
	} catch (failure) {
		return failure;
	}
}

/** n8n's own timeout restarts with every byte, so a trickle could hold a workflow for ever. */
async function within(
	sent: Promise<IN8nHttpFullResponse>,
	timeout: number,
): Promise<Answer | Failure> {
	const answer = sent.then(async ({ statusCode, headers, body }) => ({
		statusCode,
		headers,
		body: await readText(body),
	}));
	const signal = AbortSignal.timeout(timeout + 100);
	let expire = () => {};
	const expired = new Promise<Failure>((resolve) => {
		expire = () => {
			sent.then(({ body }) => discard(body)).catch(() => {});
			resolve(timeoutFailure(timeout));
		};
		signal.addEventListener('abort', expire);
	});
	try {
		return await Promise.race([answer, expired]);
	} finally {
		signal.removeEventListener('abort', expire);
		answer.catch(() => {});
	}
}

/** A POST that broke on the way may have arrived, and a second one would register twice. */
function mayRepeat({ method = 'GET' }: ServiceRequest, failure: Failure): boolean {
	return failure.passing && (method !== 'POST' || failure.status === 429);
}

const timeLeft = (settings: RequestSettings): number =>
	settings.timeLeft?.() ?? Number.POSITIVE_INFINITY;
