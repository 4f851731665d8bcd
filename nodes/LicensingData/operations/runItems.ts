import { deepCopy, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { numberIn, oneOf } from '../filters/enteredValues';
import type { ReadParameter } from '../filters/filter';
import { Failure } from '../licenses/failure';
import { outputForm } from '../output/outputForms';
import { connect, type Credential, credentialOf, redactIn } from '../service/client';
import { hasStatus } from '../service/httpFailures';
import { asHtml, asLine, toNodeError, whereIn } from '../service/nodeError';
import { MAX_AT_ONCE } from '../service/throttle';
import { WaitAllowance } from '../service/waitAllowance';
import { type Operation, operations, PARALLEL, RETRIES, TIMEOUT } from './operations';
import type { OperationType } from './operationType';

/** n8n shows all of them above the output, and there may be thousands of items. */
const MAX_HINTS = 3;

/** This many failures in a row that may pass are an outage. */
const OUTAGE = 3;

/** Runs every input item; what comes out is in their order, and points back to the item that asked for it. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const itemCount = this.getInputData().length;
	const results: INodeExecutionData[] = [];
	const credential = credentialOf(this);
	const redact = await redactIn(credential);
	const shared = shareAmongItems(this, redact);
	const { looksUp } = operations[this.getNodeParameter('operation', 0) as Operation] ?? {};
	const atOnce = { max: looksUp ? MAX_AT_ONCE : 1, goesOn: this.continueOnFail() };
	const runs = sideBySide(itemCount, atOnce, async (item) => {
		const read: ReadParameter = (name, fallback, rawExpressions = false) =>
			this.getNodeParameter(name, item, fallback, { rawExpressions });
		return await itemsFor(this, credential, read, shared);
	});
	try {
		for (let item = 0; item < itemCount; item++) {
			const pairedItem = { item };
			try {
				// A list that fails on the way brings nothing: half a list would look like a whole one.
				for (const one of (await runs[item]) ?? []) results.push({ ...one, pairedItem });
			} catch (error) {
				const shown = toNodeError(this.getNode(), error, itemCount > 1 ? item : undefined, redact);
				if (!atOnce.goesOn) throw shown;
				// Beside these two keys of an item, n8n lets no other tell its error output; its own `error` drops the advice.
				const json = { error: shown.message, message: shown.description };
				results.push({ json, pairedItem });
			}
		}
	} finally {
		shared.ending.abort();
	}
	return [results];
}

/** Starts one item after another: two at once at first, and one more for each that went well. */
function sideBySide<Outcome>(
	count: number,
	{ max, goesOn }: { max: number; goesOn: boolean },
	run: (item: number) => Promise<Outcome>,
): Array<Promise<Outcome>> {
	const started: Array<Promise<Outcome>> = [];
	let [underWay, width, hasFailed] = [0, Math.min(2, max), false];
	const start = async (item: number): Promise<Outcome> => {
		underWay++;
		const outcome = run(item);
		outcome.then(
			() => (width = Math.min(width + 1, max)),
			() => (hasFailed = true),
		);
		return await outcome.finally(() => {
			underWay--;
			startMore();
		});
	};
	const startMore = (): void => {
		while (underWay < width && started.length < count && (goesOn || !hasFailed)) {
			const one = start(started.length);
			// Whoever it belongs to learns of a failure when its turn comes.
			one.catch(() => undefined);
			started.push(one);
		}
	};
	startMore();
	return started;
}

/** What the input items share. */
function shareAmongItems(context: IExecuteFunctions, redact: (text: string) => string) {
	let hints = 0;
	const hint = (line: string): void => {
		if (++hints > MAX_HINTS) return;
		const message = asHtml(line, redact);
		context.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
	};
	const warn = (line: string): void => {
		context.logger.info(asLine(whereIn(context) + line, redact));
		hint(line);
	};
	const onWait = (line: string): void => {
		warn(line);
		// Hints come with the output. Meanwhile, the console of the browser is all that n8n offers.
		context.sendMessageToUI(asLine(line, redact));
	};
	const ending = new AbortController();
	const cancelled = context.getExecutionCancelSignal();
	const { signal } = ending;
	// It outlives this run: a loop may run the node thousands of times in one execution.
	cancelled?.addEventListener('abort', () => ending.abort(cancelled.reason), { signal });
	let failures = 0;
	/** Told how each run went. An outage, or a key that is not accepted, would meet all that follow as well. */
	const ended = (failure?: unknown): void => {
		const { isTransient, isInvalidInput } = failure instanceof Failure ? failure.facts : {};
		if (!isInvalidInput) failures = isTransient ? failures + 1 : 0;
		if (failure === undefined) return;
		const isOutage = failures >= OUTAGE || hasStatus(failure, 401, 403);
		if (!isOutage || signal.aborted) return;
		ending.abort(failure);
		if (context.continueOnFail())
			warn('The service was not asked for the items that follow: each gets the failure before it.');
	};
	const allowance = new WaitAllowance(onWait, signal);
	/** What the items so far asked for, and what they get: equal questions are asked once. */
	const runs = new Map<string, Promise<INodeExecutionData[]>>();
	return { allowance, runs, hint, warn, ending, ended };
}

type Shared = ReturnType<typeof shareAmongItems>;

async function itemsFor(
	context: IExecuteFunctions,
	credential: Credential,
	read: ReadParameter,
	shared: Shared,
): Promise<INodeExecutionData[]> {
	const question = questionOf(read, context.getTimezone());
	const before = shared.runs.get(question.key);
	// Nodes that follow may change an item in place.
	if (before) return deepCopy(await before);
	const run = ask(context, credential, question, shared);
	run.catch(shared.ended);
	shared.runs.set(question.key, run);
	return await run;
}

/** What one input item asks for: its parameters, read and checked. */
function questionOf(read: ReadParameter, timeZone: string) {
	const operation = oneOf('Operation', read('operation'), Object.keys(operations) as Operation[]);
	const action: OperationType = operations[operation];
	const output: [form: unknown, fields: unknown] = action.hasOutput
		? [read('output'), read('fields', [])]
		: ['raw', []];
	const toJson = outputForm(...output, action.looksUp);
	const parameters = action.readParameters(read, timeZone);
	const options = read('options', {}) as Record<string, unknown>;
	const option: ReadParameter = (name, usual) =>
		options[name] === undefined ? usual : options[name];
	const settings = { retries: numberIn(RETRIES, option), timeout: numberIn(TIMEOUT, option) };
	const parallelRequests =
		options.parallelRequests === undefined ? undefined : numberIn(PARALLEL, option);
	const key = JSON.stringify([operation, parameters, output]);
	return { key, action, parameters, toJson, settings, parallelRequests };
}

async function ask(
	context: IExecuteFunctions,
	credential: Credential,
	{ action, parameters, toJson, settings, parallelRequests }: ReturnType<typeof questionOf>,
	{ allowance, hint, warn, ending, ended }: Shared,
): Promise<INodeExecutionData[]> {
	ending.signal.throwIfAborted();
	const run = allowance.open(parallelRequests);
	const items: INodeExecutionData[] = [];
	try {
		const service = await connect(context, { ...settings, caller: run }, credential);
		const batches = action.run(service, parameters, {
			run,
			toItem: (license) => ({ json: toJson(license) }),
			hint,
			warn,
			helpers: context.helpers,
			timeZone: context.getTimezone(),
		});
		for await (const batch of batches) for (const one of batch) items.push(one);
		// What had nothing to ask tells nothing about the service.
		if (run.answers > 0) ended();
		return items;
	} finally {
		run.hasEnded = true;
	}
}
