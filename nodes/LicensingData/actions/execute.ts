import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { refusal, toNodeError } from '../api/failure';
import { Pace } from '../api/pace';
import { connect } from '../api/request';
import type { License } from '../api/types';
import { outputForm } from '../output';
import type { ReadParameter } from './action';
import { operations } from './license';
import { toParallelRequests, toSettings } from './options';

/** What an earlier item of the same run asked, and what came of it. */
type Runs = Map<string, { licenses: License[]; error?: unknown }>;

/** Runs every input item in order; each license points back to the item that asked for it. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const itemCount = this.getInputData().length;
	const runs: Runs | undefined = itemCount > 1 ? new Map() : undefined;
	const results: INodeExecutionData[] = [];

	for (let item = 0; item < itemCount; item++) {
		const pairedItem = { item };
		const read: ReadParameter = (name, fallback) => this.getNodeParameter(name, item, fallback);
		const complete = results.length;
		try {
			const form = outputForm(read('output'), read('fields', []));
			for await (const licenses of licensesFor(this, read, runs)) {
				for (const license of licenses) results.push({ json: form(license), pairedItem });
			}
		} catch (error) {
			const shown = toNodeError(this.getNode(), error, runs && item);
			if (!this.continueOnFail()) throw shown;
			// Half a list would look like a whole one to the nodes that follow.
			results.length = complete;
			results.push({ json: { error: shown.message }, error: shown, pairedItem });
		}
	}
	return [results];
}

async function* licensesFor(
	context: IExecuteFunctions,
	read: ReadParameter,
	runs: Runs | undefined,
): AsyncGenerator<License[]> {
	const name = String(read('operation'));
	const action = Object.hasOwn(operations, name) ? operations[name] : undefined;
	if (!action) {
		throw refusal(`'Operation' is not one of this node: ${name}`, 'Choose an operation.');
	}
	const plan = action.plan(read);
	const options = read('options', {}) as Record<string, unknown>;
	const settings = toSettings(options);
	const parallelRequests = toParallelRequests(options);

	const key = JSON.stringify([name, plan]);
	const earlier = runs?.get(key);
	if (earlier) {
		if (earlier.error !== undefined) throw earlier.error;
		// Two items must not share one object, or a later node that changes one changes both.
		yield structuredClone(earlier.licenses);
		return;
	}
	const run: { licenses: License[]; error?: unknown } = { licenses: [] };
	runs?.set(key, run);
	const pace = new Pace(parallelRequests, context.getExecutionCancelSignal());
	try {
		const service = await connect(context, { ...settings, pace });
		const log = (line: string) => context.logger.info(line);
		for await (const licenses of action.run(service, plan, { parallelRequests, log })) {
			if (runs) run.licenses.push(...licenses);
			yield licenses;
		}
	} catch (error) {
		run.error = error;
	} finally {
		pace.close();
	}
	if (run.error !== undefined) throw run.error;
}
