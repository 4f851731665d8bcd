import { httpRequestSteps, type Source } from '../get-many/ways.mts';
import { loadN8nNode, loadPackage, runWorkflow, type Step } from '../n8n/workflow.mts';

/** What a user would build to get a file with all licenses. */
export const WAYS = [
	'Export',
	'Get Many, then Convert to File',
	"n8n's HTTP Request, Split Out, then Convert to File",
] as const;
export type Way = (typeof WAYS)[number];
export const HTTP_REQUEST: Way = WAYS[2];

/** Writes a CSV file with the whole list, and returns the ID under which n8n keeps it. */
export async function writeCsv(way: Way, source: Source, packageFolder: string): Promise<string> {
	const { license, credential } = loadPackage(packageFolder);
	const licensingData = (parameters: Step['parameters']): Step => ({
		type: 'n8n-nodes-licensing-data.licensingData',
		nodeType: license,
		typeVersion: 1,
		parameters: { resource: 'license', ...parameters },
	});
	const convertToFile: Step = {
		type: 'n8n-nodes-base.convertToFile',
		nodeType: loadN8nNode('Files/ConvertToFile/ConvertToFile.node.js', 'ConvertToFile', 1.1),
		typeVersion: 1.1,
		parameters: { operation: 'csv', binaryPropertyName: 'data', options: {} },
	};
	const steps: Record<Way, Step[]> = {
		Export: [licensingData({ operation: 'export', format: 'csv', columns: 'all' })],
		'Get Many, then Convert to File': [
			licensingData({ operation: 'getAll', returnAll: true, output: 'raw' }),
			convertToFile,
		],
		"n8n's HTTP Request, Split Out, then Convert to File": [
			...httpRequestSteps(source),
			convertToFile,
		],
	};
	const [item] = await runWorkflow(steps[way], credential, source);
	const { id } = item?.binary?.data ?? {};
	if (id === undefined) throw new Error(`${way} left no file`);
	return id;
}
