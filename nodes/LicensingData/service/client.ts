import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { Failure, orFailure } from '../licenses/failure';
import { type Answer, discard, readBytes, readJson } from './answer';
import { pause, waitBefore } from './backoff';
import { type Connection, toConnection } from './credential';
import {
	networkFailure,
	noTimeLeft,
	readServiceMessage,
	statusFailure,
	timeoutFailure,
	toFailure,
} from './httpFailures';
import { asLine, toNodeError, whereIn } from './nodeError';
import { type Redactor, redactorFor } from './redactor';
import { type Caller, NO_WAITING, type Throttle, throttleFor } from './throttle';

/** The type of the node's credential. */
const credentialTypeOf = (context: IAllExecuteFunctions): string =>
	/WebhookTrigger$/.test(context.getNode().type) ? 'licensingDataWebhookApi' : 'licensingDataApi';

interface RequestSettings {
	/** How many times a request is retried. */
	retries: number;
	/** Milliseconds that one try may take. */
	timeout: number;
	/** Milliseconds left for everything, for callers with a time budget. */
	timeLeft?: () => number;
	/** How to wait for a rate limit. Without it, the limit is a failure at once. */
	caller?: Caller;
}

export const DEFAULT_SETTINGS: RequestSettings = { retries: 3, timeout: 30_000 };

/** For a user who sits and waits, even if others use the key. */
export function whileUserWaits(retries: number): RequestSettings {
	const end = Date.now() + 20_000;
	return { retries, timeout: 10_000, timeLeft: () => end - Date.now() };
}

/** Milliseconds. With less time left than this, a missing answer would say nothing about the service. */
const MIN_TRY = 100;

interface ServiceRequest {
	method?: IHttpRequestMethods;
	/** Below the base URL; parts that come from users are encoded by the caller. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
}

/** Makes sense of the body of a successful answer, or throws an `unexpectedAnswer`. */
type Reader<T> = (body: unknown, reveals: Redactor['reveals']) => T;

/** Sends a request, and returns what the reader makes of the answer, or throws a Failure. */
export interface Service {
	<T>(request: ServiceRequest, read: Reader<T>): Promise<T>;
	/** What the process knows of how fast the key may be used. */
	readonly throttle: Pick<Throttle, 'isLimitedByPlan' | 'waitLeft'>;
}

/** Sends a request with the key, and resolves whatever the status of the answer is. */
export type Send = (request: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** What the credential holds. */
export type Credential = () => Promise<ICredentialDataDecryptedObject>;

/** Decrypts the credential when it is first needed, and no second time. */
export function credentialOf(context: IAllExecuteFunctions): Credential {
	let data: Promise<ICredentialDataDecryptedObject> | undefined;
	return async () => await (data ??= context.getCredentials(credentialTypeOf(context)));
}

/** Takes the key out of a text, and whatever looks like one. */
export async function redactIn(credential: Credential): Promise<Redactor['redact']> {
	const { apiKey } = await credential().catch(() => ({ apiKey: '' }));
	return redactorFor(apiKey).redact;
}

/** For what n8n calls: a failure comes out as n8n shows it. */
export async function withNodeErrors<T>(
	context: IAllExecuteFunctions,
	run: (credential: Credential) => Promise<T>,
): Promise<T> {
	const credential = credentialOf(context);
	return await run(credential).catch(async (error: unknown) => {
		throw toNodeError(context.getNode(), error, undefined, await redactIn(credential));
	});
}

/** Binds the credential once; every request of every operation goes through what this returns. */
export async function connect(
	context: IAllExecuteFunctions,
	settings: RequestSettings = DEFAULT_SETTINGS,
	credential = credentialOf(context),
): Promise<Service> {
	const data = await credential();
	const connection = toConnection(data);
	const type = credentialTypeOf(context);
	const credentialsDecrypted = { id: '', name: '', type, data };
	const { httpRequestWithAuthentication } = context.helpers;
	const send: Send = async (request) =>
		await httpRequestWithAuthentication.call(context, type, request, {
			credentialsDecrypted,
		});
	const { redact } = redactorFor(data.apiKey);
	const log = (line: string): void => context.logger.error(asLine(whereIn(context) + line, redact));
	return serviceAt(connection, send, settings, log);
}

export function serviceAt(
	{ baseUrl, apiKey }: Connection,
	send: Send,
	settings: RequestSettings,
	log: (line: string) => void,
): Service {
	const { reveals } = redactorFor(apiKey);
	const throttle = throttleFor({ baseUrl, apiKey });
	const { caller = NO_WAITING, timeLeft = () => Number.POSITIVE_INFINITY } = settings;

	async function tryOnce<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
		if (timeLeft() < MIN_TRY) throw noTimeLeft();
		const timeout = Math.min(settings.timeout, timeLeft());
		const answer = await answerTo(baseUrl, request, send, timeout);
		if (answer.statusCode < 200 || answer.statusCode > 299)
			throw statusFailure(answer, baseUrl + request.path);
		const limit = Number.parseInt(String(answer.headers['x-ratelimit-limit']), 10);
		if (limit >= 0) throttle.limit = limit;
		try {
			// There is nothing to say about what was removed, and most services send nothing.
			const body = request.method === 'DELETE' ? undefined : readJson(answer);
			return read(body, reveals);
		} catch (error) {
			if (error instanceof Failure) throw error.withFacts(readServiceMessage(answer));
			throw toFailure(error, log);
		}
	}

	async function service<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
		for (let attempt = 0; ; ) {
			const attempted = () => orFailure(tryOnce(request, read));
			const outcome = await throttle.run(caller, attempted, timeLeft);
			if (!(outcome instanceof Failure)) return outcome;
			// The next round waits for as long as the caller does.
			if (outcome.facts.status === 429) continue;
			// A POST whose connection broke may have arrived, and a second one would register twice.
			const isLast = attempt >= settings.retries || request.method === 'POST';
			const wait = waitBefore(attempt++, outcome.facts.retryAfter, Math.random());
			if (isLast || !outcome.facts.isTransient || wait === undefined) throw outcome;
			if (wait + MIN_TRY > timeLeft()) throw outcome;
			await pause(wait, caller.stopped);
		}
	}
	return Object.assign(service, { throttle });
}

/** What came back, whatever its status. */
async function answerTo(
	baseUrl: string,
	{ method = 'GET', path, query, body }: ServiceRequest,
	send: Send,
	timeout: number,
): Promise<Answer> {
	const sent = send({
		method,
		url: baseUrl + path,
		qs: query,
		body,
		json: true,
		// n8n would read without limit, and pass on broken JSON as if it were an answer.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// n8n would take the key along to wherever a redirect points.
		disableFollowRedirect: true,
		timeout,
	});
	return await withTimeLimit(sent, timeout);
}

/** n8n's own timeout restarts with every byte, so a trickle could hold up a workflow forever. */
function withTimeLimit(sent: Promise<IN8nHttpFullResponse>, timeout: number): Promise<Answer> {
	const signal = AbortSignal.timeout(timeout + 100);
	return new Promise((resolve, reject) => {
		const expire = () => {
			sent.then(({ body }) => discard(body)).catch(() => {});
			reject(timeoutFailure(timeout));
		};
		signal.addEventListener('abort', expire);
		sent
			.then(async (head) => ({ ...head, body: await readBytes(head.body) }))
			.finally(() => signal.removeEventListener('abort', expire))
			.then(resolve, (error: unknown) => reject(networkFailure(error, timeout)));
	});
}
