import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import { outputForm } from '../output/outputForm';
import type { ReadParameter } from '../filters/filter';
import { connect, redactIn } from '../service/client';
import { asHtml, asLine, toNodeError, whereIn } from '../service/nodeError';
import { WaitAllowance } from '../service/waiting';
import type { Action } from './action';
import { operations, type Operation } from './operations';
import { toParallelRequests, toSettings } from './options';

type Items = INodeExecutionData[];

/** What the input items share. */
interface Shared {
	allowance: WaitAllowance;
	/** What the items so far asked for, and what they get: equal questions are asked once. */
	runs: Map<string, Promise<Items>>;
	hint: (message: string) => void;
	warn: (line: string) => void;
}

/** n8n shows all of them above the output, and there may be thousands of items. */
const MOST_HINTS = 3;

/** Runs every input item in order; whatever comes out points back to the item that asked for it. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const itemCount = this.getInputData().length;
	const results: Items = [];
	const redact = await redactIn(this);
	let hints = 0;
	const hint = (message: string): void => {
		if (++hints > MOST_HINTS) return;
		const shown = asHtml(message, redact);
		this.addExecutionHints?.({ message: shown, type: 'warning', location: 'outputPane' });
	};
	const warn = (line: string): void => {
		this.logger.info(asLine(whereIn(this) + line, redact));
		hint(line);
	};
	const onWait = (line: string): void => {
		warn(line);
		// Hints come with the output. Meanwhile, the console of the browser is all that n8n offers.
		this.sendMessageToUI(asLine(line, redact));
	};
	const allowance = new WaitAllowance(onWait, this.getExecutionCancelSignal());
	const shared: Shared = { allowance, runs: new Map(), hint, warn };

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

function actionOf(operation: string): Action {
	if (Object.hasOwn(operations, operation)) return operations[operation as Operation];
	throw invalidInput(`'Operation' is not known to this node: ${operation}`, 'Choose an operation.');
}

async function itemsFor(
	context: IExecuteFunctions,
	read: ReadParameter,
	shared: Shared,
): Promise<Items> {
	const question = questionOf(read);
	const before = shared.runs.get(question.key);
	// Nodes that follow may change an item in place.
	if (before) return deepCopy(await before);
	const run = ask(context, question, shared);
	shared.runs.set(question.key, run);
	return await run;
}

/** What one input item asks for: its parameters, read and checked. */
function questionOf(read: ReadParameter) {
	const operation = String(read('operation'));
	const action = actionOf(operation);
	const output: [form: unknown, fields: unknown] = action.hasOutput
		? [read('output'), read('fields', [])]
		: ['raw', []];
	const toJson = outputForm(...output, action.looksUp);
	const parameters = action.readParameters(read);
	const options = read('options', {}) as Record<string, unknown>;
	const settings = toSettings(options);
	const parallelRequests = action.readsLists ? toParallelRequests(options) : undefined;
	const key = JSON.stringify([operation, parameters, output]);
	return { key, action, parameters, toJson, settings, parallelRequests };
}

async function ask(
	context: IExecuteFunctions,
	{ action, parameters, toJson, settings, parallelRequests }: ReturnType<typeof questionOf>,
	{ allowance, hint, warn }: Shared,
): Promise<Items> {
	const run = allowance.open(parallelRequests);
	const items: Items = [];
	try {
		const service = await connect(context, { ...settings, caller: run });
		const batches = action.run(service, parameters, {
			parallelRequests,
			requestCount: () => run.answers,
			expectRequests: (count) => void (run.expected = count),
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
