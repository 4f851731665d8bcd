import { parse } from 'flatted';
import type { IDataObject, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import type { N8nClient } from '../../playground/client.mts';
import type { License } from '../../sandbox/index.mts';
import { keyOf } from './feed.mts';
import { triggerName } from './workflow.mts';

interface Summary {
	id: string;
	status: string;
	createdAt: string;
}

/** What the triggers emitted, by n8n's own account: the input of every execution, whatever came of it. */
export class EmissionBook {
	/** workflow id → event → when each execution that contains it was created. */
	private readonly emitted = new Map<string, Map<string, number[]>>();
	/** Executions by their latest known status. */
	readonly statuses = new Map<string, string>();
	private readonly read = new Set<string>();
	/** Executions that n8n keeps without any items, each as a line. */
	readonly emptied = new Set<string>();

	/** Reads the executions that are new since last time. */
	async update(client: N8nClient, workflows: string[]): Promise<void> {
		for (const workflowId of workflows) {
			const emitted = this.emitted.get(workflowId) ?? new Map<string, number[]>();
			this.emitted.set(workflowId, emitted);
			for (const { id, status, createdAt } of await list(client, workflowId)) {
				this.statuses.set(id, status);
				if (this.read.has(id)) continue;
				const time = Date.parse(createdAt);
				const keys = await inputOf(client, id);
				for (const key of keys) emitted.set(key, [...(emitted.get(key) ?? []), time]);
				if (keys.length === 0) this.emptied.add(`${workflowId}: ${status}, ${createdAt}`);
				this.read.add(id);
			}
		}
	}

	/** When the trigger of a workflow emitted an event. */
	emissions(workflowId: string, key: string): number[] {
		return this.emitted.get(workflowId)?.get(key) ?? [];
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

async function inputOf(client: N8nClient, id: string): Promise<string[]> {
	const { data } = await client.request<{ data: string }>('GET', `/rest/executions/${id}`);
	const run = parse(data) as IRunExecutionData | undefined;
	const output = run?.resultData?.runData?.[triggerName]?.[0]?.data?.main?.[0];
	// Until it has finished, an execution holds what it is to start with.
	const input = run?.executionData?.nodeExecutionStack?.find(
		({ node }) => node.name === triggerName,
	);
	const items = [output, input?.data.main?.[0]].find((some) => some?.some(isEvent)) ?? [];
	return items.filter(isEvent).map(({ json }) => keyOf(json as unknown as License));
}

/** When n8n finds an execution that was cut off, it may record a made-up item in it. */
const isEvent = ({ json }: INodeExecutionData): boolean =>
	typeof (json as IDataObject).id === 'string';
