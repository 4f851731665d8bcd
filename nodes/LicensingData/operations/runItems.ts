import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { outputForm } from '../output/outputForms';
import type { ReadParameter } from '../filters/filter';
import { numberIn, oneOf } from '../filters/values';
import { asHtml, asLine, toNodeError, whereIn } from '../service/nodeError';
import { connect, redactIn } from '../service/client';
import { WaitAllowance } from '../service/retries';
import type { OperationType } from './operationType';
import { operations, PARALLEL, RETRIES, TIMEOUT, type Operation } from './operations';

/** n8n shows all of them above the output, and there may be thousands of items. */
const MOST_HINTS = 3;

/** Runs every input item in order; whatever comes out points back to the item that asked for it. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const itemCount = this.getInputData().length;
	const results: INodeExecutionData[] = [];
	const redact = await redactIn(this);
	const shared = shareAmongItems(this, redact);

	for (let item = 0; item < itemCount; item++) {
		const pairedItem = { item };
		const read: ReadParameter = (name, fallback, rawExpressions = false) =>
			this.getNodeParameter(name, item, fallback, { rawExpressions });
		try {
			// A list that fails on the way brings nothing: half a list would look like a whole one.
			for (const one of await itemsFor(this, read, shared)) results.push({ ...one, pairedItem });
		} catch (error) {
			const shown = toNodeError(this.getNode(), error, itemCount > 1 ? item : undefined, redact);
			if (!this.continueOnFail()) throw shown;
			// Beside these two keys of an item, n8n lets no other tell its error output; its own `error` drops the advice.
			const json = { error: shown.message, message: shown.description };
			results.push({ json, pairedItem });
		}
	}
	return [results];
}

/** What the input items share. */
function shareAmongItems(context: IExecuteFunctions, redact: (text: string) => string) {
	let hints = 0;
	const hint = (line: string): void => {
		if (++hints > MOST_HINTS) return;
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
	const allowance = new WaitAllowance(onWait, context.getExecutionCancelSignal());
	/** What the items so far asked for, and what they get: equal questions are asked once. */
	const runs = new Map<string, Promise<INodeExecutionData[]>>();
	return { allowance, runs, hint, warn };
}

type Shared = ReturnType<typeof shareAmongItems>;

async function itemsFor(
	context: IExecuteFunctions,
	read: ReadParameter,
	shared: Shared,
): Promise<INodeExecutionData[]> {
	const question = questionOf(read, context.getTimezone());
	const before = shared.runs.get(question.key);
	// Nodes that follow may change an item in place.
	if (before) return deepCopy(await before);
	const run = ask(context, question, shared);
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
	{ action, parameters, toJson, settings, parallelRequests }: ReturnType<typeof questionOf>,
	{ allowance, hint, warn }: Shared,
): Promise<INodeExecutionData[]> {
	const run = allowance.open(parallelRequests);
	const items: INodeExecutionData[] = [];
	try {
		const service = await connect(context, { ...settings, caller: run });
		const batches = action.run(service, parameters, {
			run,
			toItem: (license) => ({ json: toJson(license) }),
			hint,
			warn,
			helpers: context.helpers,
			timeZone: context.getTimezone(),
		});
		for await (const batch of batches) for (const one of batch) items.push(one);
		return items;
	} finally {
		run.hasEnded = true;
	}
}
