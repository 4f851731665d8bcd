import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { pickLicense } from './operations/get.operation';
import { properties } from './operations/operations';
import { execute } from './operations/runItems';
import { testLicensingDataApi } from './service/credentialTest';

export class LicensingData implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Licensing Data',
		name: 'licensingData',
		icon: {
			light: 'file:../../icons/licensingData.svg',
			dark: 'file:../../icons/licensingData.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter.operation + ": " + $parameter.resource }}',
		description: 'Look up Florida liquor and food-service licenses',
		defaults: { name: 'Licensing Data' },
		// n8n would take it from the node's .json file, and append a question mark and more to it.
		documentationUrl:
			'https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data/blob/main/docs/reference.md#operations',
		usableAsTool: true,
		hints: [
			{
				message:
					"Reading all of Florida's licenses takes over a thousand requests. Choose a county, license type or event under 'Filters' to read fewer.",
				displayCondition:
					'={{ $parameter.operation === "getAll" && $parameter.returnAll && Object.keys($parameter.filters ?? {}).length === 0 }}',
				whenToDisplay: 'beforeExecution',
				location: 'ndv',
			},
			{
				message:
					"The service cannot filter by 'Cities', 'ZIP Codes' or 'Near', so for these the node reads the whole list, 50 licenses a request. To read less, choose 'Counties', too.",
				displayCondition:
					'={{ ["count", "export", "getAll"].includes($parameter.operation) && !$parameter.filters?.counties?.length && Boolean($parameter.filters?.cities || $parameter.filters?.zipCodes || $parameter.filters?.near?.area?.center) }}',
				whenToDisplay: 'beforeExecution',
				location: 'ndv',
			},
			{
				message:
					"Count reads the list itself here, one request for every 50 licenses, up to 20,000 licenses: the service does not count by day, filing kind, address, phone, city or status. Florida's new filings take about 180 requests.",
				displayCondition:
					'={{ $parameter.operation === "count" && (["expiresAfter", "expiresBefore", "filedAfter", "filedBefore", "happenedAfter", "happenedBefore", "filingKinds", "onlyWithAddress", "onlyWithPhone"].some((name) => [$parameter.filters?.[name] ?? []].flat().some(Boolean)) || ["city", "filingKind", "status"].some((name) => [$parameter.groupBy ?? []].flat().join().includes(name))) }}',
				whenToDisplay: 'beforeExecution',
				location: 'ndv',
			},
		],
		builderHint: {
			searchHint:
				'Looks up Florida liquor and food-service licenses on demand. To start a workflow when a license is filed, use the Licensing Data Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-licensing-data.licensingDataTrigger',
					relationHint: 'To start a workflow with every new license or change',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'licensingDataApi', required: true, testedBy: 'testLicensingDataApi' }],
		properties,
	};

	methods = {
		credentialTest: { testLicensingDataApi },
		listSearch: { searchLicenses: pickLicense },
	};

	execute = execute;
}
