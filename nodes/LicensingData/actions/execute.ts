import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { refusal } from '../domain/failure';
import { toNodeError } from '../transport/nodeError';
import { RequestLimiter, type KnownQuota } from '../transport/requestLimiter';
import { connect } from '../transport/request';
import type { License } from '../domain/license';
import { outputForm } from '../output/outputForm';
import type { Action, ReadParameter } from './action';
import { planExport, runExport } from './export';
import { EXPORT } from './exportFields';
import { operations } from './operations';
import { toParallelRequests, toSettings } from './options';

/** What earlier items of the same run asked for, and what they got. */
type Runs = Map<string, { licenses: License[]; error?: unknown }>;

/** What the items of one run share. */
interface Shared {
	quota: KnownQuota;
	/** Absent if there is only one item. */
	runs?: Runs;
	hint: (message: string) => void;
}

/** n8n shows all of them above the output, and there may be thousands of items. */
const MOST_HINTS = 3;

/** How many requests may be in flight at once if no long list is read. */
const FEW_AT_ONCE = 4;

/** Runs every input item in order; each license points back to the item that asked for it. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const itemCount = this.getInputData().length;
	const runs: Runs | undefined = itemCount > 1 ? new Map() : undefined;
	const results: INodeExecutionData[] = [];
	const quota: KnownQuota = {};
	let hints = 0;
	const hint = (message: string) => {
		if (++hints > MOST_HINTS) return;
		this.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
	};
	const files = new Map<string, Promise<INodeExecutionData>>();
	const exported = async (read: ReadParameter): Promise<INodeExecutionData> => {
		const plan = planExport(read);
		const key = JSON.stringify(plan);
		const file = files.get(key) ?? runExport(this, plan);
		files.set(key, file);
		return structuredClone(await file);
	};

	for (let item = 0; item < itemCount; item++) {
		const pairedItem = { item };
		const read: ReadParameter = (name, fallback, rawExpressions = false) =>
			this.getNodeParameter(name, item, fallback, { rawExpressions });
		const complete = results.length;
		try {
			const operation = operationOf(read);
			if (operation === EXPORT) {
				results.push({ ...(await exported(read)), pairedItem });
			} else {
				const form = outputForm(read('output'), read('fields', []));
				for await (const licenses of licensesFor(this, operation, read, { quota, runs, hint })) {
					for (const license of licenses) results.push({ json: form(license), pairedItem });
				}
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

function operationOf(read: ReadParameter): string {
	const name = String(read('operation'));
	if (name === EXPORT || Object.hasOwn(operations, name)) return name;
	throw refusal(`'Operation' is not known to this node: ${name}`, 'Choose an operation.');
}

async function* licensesFor(
	context: IExecuteFunctions,
	operation: string,
	read: ReadParameter,
	{ quota, runs, hint }: Shared,
): AsyncGenerator<License[]> {
	const action = operations[operation] as Action;
	const plan = action.plan(read);
	const options = read('options', {}) as Record<string, unknown>;
	const settings = toSettings(options);
	// Only reading long lists can leave part of the quota to others.
	const parallelRequests = operation === 'getAll' ? toParallelRequests(options) : FEW_AT_ONCE;

	const key = JSON.stringify([operation, plan]);
	const earlier = runs?.get(key);
	if (earlier) {
		if (earlier.error !== undefined) throw earlier.error;
		// Two items must not share one object, or a later node that changes one would change both.
		yield structuredClone(earlier.licenses);
		return;
	}
	const run: { licenses: License[]; error?: unknown } = { licenses: [] };
	runs?.set(key, run);
	const limiter = new RequestLimiter(parallelRequests, context.getExecutionCancelSignal(), quota);
	try {
		const service = await connect(context, { ...settings, limiter });
		const log = (line: string) => context.logger.info(line);
		for await (const licenses of action.run(service, plan, { parallelRequests, log, hint })) {
			if (runs) run.licenses.push(...licenses);
			yield licenses;
		}
	} catch (error) {
		run.error = error;
	} finally {
		limiter.close();
	}
	if (run.error !== undefined) throw run.error;
}
