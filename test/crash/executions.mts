import { parse } from 'flatted';
import type { IDataObject, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import type { N8nClient } from '../../playground/client.mts';
import type { License } from '../../sandbox/index.mts';
import { TRIGGER } from '../e2e/forwarding.mts';
import { keyOf } from './feed.mts';

interface Summary {
	id: string;
	createdAt: string;
}

/** What the triggers emitted, by n8n's own account: the input of every execution when it was created. */
export class EmissionBook {
	/** workflow id → event → when each execution that contains it was created. */
	private readonly emitted = new Map<string, Map<string, number[]>>();
	private readonly read = new Set<string>();

	/** Given what n8n first wrote of an execution, where it may have emptied it since. */
	constructor(
		private readonly firstData = async (_id: string): Promise<string | undefined> => undefined,
	) {}

	/** Reads the executions that are new since last time. */
	async update(client: N8nClient, workflows: string[]): Promise<void> {
		for (const workflowId of workflows) {
			const emitted = this.emitted.get(workflowId) ?? new Map<string, number[]>();
			this.emitted.set(workflowId, emitted);
			for (const { id, createdAt } of await list(client, workflowId)) {
				if (this.read.has(id)) continue;
				const time = Date.parse(createdAt);
				for (const key of await this.inputOf(client, id)) {
					emitted.set(key, [...(emitted.get(key) ?? []), time]);
				}
				this.read.add(id);
			}
		}
	}

	/** When the trigger of a workflow emitted an event. */
	batches(workflowId: string, key: string): number[] {
		return this.emitted.get(workflowId)?.get(key) ?? [];
	}

	/** How many of these events some trigger has not emitted, and has emitted more than once. */
	count(workflows: string[], keys: string[]): { lost: number; repeated: number } {
		const times = workflows.flatMap((id) => keys.map((key) => this.batches(id, key).length));
		return {
			lost: times.filter((some) => some === 0).length,
			repeated: times.filter((some) => some > 1).length,
		};
	}

	private async inputOf(client: N8nClient, id: string): Promise<string[]> {
		const { data } = await client.request<{ data: string }>('GET', `/rest/executions/${id}`);
		const events = eventsOf(data);
		if (events.length > 0) return events;
		const first = await this.firstData(id);
		return first === undefined ? [] : eventsOf(first);
	}
}

/** n8n's pages are sorted by start and continue by ID, so an execution may be left out between two of them. */
async function list(client: N8nClient, workflowId: string): Promise<Summary[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results, nextCursor } = await client.request<{
		results: Summary[];
		nextCursor: string | null;
	}>('GET', `/rest/executions?limit=100&filter=${filter}`);
	if (nextCursor !== null) throw new Error('More executions of one trigger than a page holds');
	return results;
}

function eventsOf(data: string): string[] {
	const run = parse(data) as IRunExecutionData | undefined;
	const output = run?.resultData?.runData?.[TRIGGER]?.[0]?.data?.main?.[0];
	// Until it has finished, an execution holds what it is to start with.
	const input = run?.executionData?.nodeExecutionStack?.find(({ node }) => node.name === TRIGGER);
	const items = [output, input?.data.main?.[0]].find((some) => some?.some(isEvent)) ?? [];
	return items.filter(isEvent).map(({ json }) => keyOf(json as unknown as License));
}

/** When n8n finds an execution that was cut off, it may record a made-up item in it. */
const isEvent = ({ json }: INodeExecutionData): boolean =>
	typeof (json as IDataObject).id === 'string';
