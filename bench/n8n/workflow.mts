import { createRequire } from 'node:module';
import { join } from 'node:path';

import type {
	ICredentialType,
	INode,
	INodeExecutionData,
	INodeType,
	IVersionedNodeType,
} from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { hostFolder } from '../../playground/folders.mts';
import { additionalDataFor } from '../../test/support/host.mts';

const { WorkflowExecute } = await import('n8n-core');
const require = createRequire(join(hostFolder, 'package.json'));

interface Service {
	baseUrl: string;
	key: string;
}

/** The package's classes, from where it was unpacked. */
export function loadPackage(folder: string) {
	const load = <T,>(path: string, name: string): T => {
		const classes = require(join(folder, 'dist', path)) as Record<string, new () => T>;
		const found = classes[name];
		if (!found) throw new Error(`${path} holds no ${name}`);
		return new found();
	};
	const node = (name: string) => load<INodeType>(`nodes/LicensingData/${name}.node.js`, name);
	return {
		license: node('LicensingData'),
		trigger: node('LicensingDataTrigger'),
		credential: load<ICredentialType>(
			'credentials/LicensingDataApi.credentials.js',
			'LicensingDataApi',
		),
	};
}

/** One of n8n's own nodes. */
export function loadN8nNode(path: string, name: string, version: number): INodeType {
	const classes = require(`n8n-nodes-base/dist/nodes/${path}`) as Record<string, new () => unknown>;
	const Class = classes[name];
	if (!Class) throw new Error(`${path} holds no ${name}`);
	const node = new Class() as INodeType | IVersionedNodeType;
	return 'getNodeType' in node ? node.getNodeType(version) : node;
}

export interface Step {
	/** With the package name in front: n8n lets its own HTTP Request use any credential. */
	type: string;
	nodeType: INodeType;
	typeVersion: number;
	parameters: INode['parameters'];
}

/** Runs nodes one after another as n8n runs them, and returns the items of the last. */
export async function runWorkflow(
	steps: Step[],
	credentialType: ICredentialType,
	{ baseUrl, key }: Service,
): Promise<INodeExecutionData[]> {
	const nodes = steps.map(
		({ type, typeVersion, parameters }, index): INode => ({
			id: `${index}`,
			name: `${index}`,
			type,
			typeVersion,
			position: [0, 0],
			parameters,
			credentials: { licensingDataApi: { id: '1', name: 'Licensing Data' } },
		}),
	);
	const known = (name: string) => steps.find(({ type }) => type === name)?.nodeType as INodeType;
	const workflow = new Workflow({
		id: 'bench',
		nodes,
		connections: Object.fromEntries(
			nodes
				.slice(1)
				.map(({ name }, index) => [
					`${index}`,
					{ main: [[{ node: name, type: 'main', index: 0 }]] },
				]),
		),
		active: false,
		nodeTypes: { getByName: known, getByNameAndVersion: known, getKnownTypes: () => ({}) },
	});
	const [first] = nodes as [INode];
	const data = createRunExecutionData({
		executionData: {
			contextData: {},
			nodeExecutionStack: [{ node: first, data: { main: [[{ json: {} }]] }, source: null }],
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
		},
	});
	const additionalData = additionalDataFor({
		nodeType: known(first.type),
		credentialType,
		credentials: { baseUrl, apiKey: key },
	});
	const run = await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(
		workflow,
	);
	const { error, runData } = run.data.resultData;
	if (error) throw error;
	return runData[`${nodes.length - 1}`]?.[0]?.data?.main?.[0] ?? [];
}
