import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { withNodeErrors } from './service/client';
import { testLicensingDataApi } from './service/credentialTest';
import { poll } from './trigger/poll';
import { triggerFields } from './trigger/triggerFields';

export class LicensingDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Licensing Data Trigger',
		name: 'licensingDataTrigger',
		icon: {
			light: 'file:../../icons/licensingData.svg',
			dark: 'file:../../icons/licensingData.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ [$parameter.eventTypes].flat().join(", ") }}',
		description:
			'Starts the workflow when a liquor or food-service license is filed or changes in Florida',
		activationMessage:
			'Licenses that are already listed are not sent, except events since "Start From". New ones arrive after a later check, and rarely come again: if n8n stops within five minutes of one. One execution may bring several events, one item each. With a test key, usually nothing new appears; use "Fetch Test Event" to try the workflow.',
		defaults: { name: 'Licensing Data Trigger' },
		polling: true,
		// n8n would take it from the node's .json file, and append a question mark and more to it.
		documentationUrl:
			'https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data/blob/main/docs/reference.md#licensing-data-trigger',
		hints: [
			{
				// n8n shows it before a test run, and after one that found nothing. After one that found events it
				// could not say which key there is: a poll adds no hints, and conditions see neither items nor credentials.
				message:
					"'Fetch Test Event' shows up to five of the latest events that match 'Trigger On' and 'Filters'. With a test key, they are usually made up. If nothing matches, widen the filters, or publish the workflow and wait.",
				type: 'info',
				whenToDisplay: 'beforeExecution',
				location: 'outputPane',
			},
			{
				message:
					"'Poll Times' is set to Every Minute. Every Hour is enough: a register changes once a day at most.",
				displayCondition:
					'={{ JSON.stringify($parameter.pollTimes ?? "everyMinute").includes("everyMinute") }}',
				whenToDisplay: 'always',
				location: 'ndv',
			},
		],
		builderHint: {
			searchHint:
				'Starts a workflow for every new Florida liquor or food-service license: new restaurant and bar leads. Choose the output CRM Lead to feed a CRM. Each event comes once, so no Remove Duplicates node is needed. leadId identifies the license and its holder: use it to update or create (upsert) the lead. filingKind tells a new license from an old one in new hands.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-licensing-data.licensingData',
					relationHint:
						'For licenses from before the workflow was published, or on a schedule: Get Many. To look one up: Get, Search or Match',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'licensingDataApi', required: true, testedBy: 'testLicensingDataApi' }],
		properties: triggerFields,
	};

	methods = { credentialTest: { testLicensingDataApi } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await withNodeErrors(this, async (credential) => await poll(this, credential));
	}
}
