import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { toNodeError } from './api/failure';
import { watchedEvents } from './fields/selectionFields';
import { parameters } from './polling/parameters';
import { poll } from './polling/poll';

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
		subtitle: watchedEvents,
		description: 'Starts the workflow with every new liquor or food-service license in Florida',
		activationMessage:
			'From now on, every event that is new in the list starts this workflow, exactly once.',
		defaults: { name: 'Licensing Data Trigger' },
		polling: true,
		hints: [
			{
				message:
					'The service filters one county, type or event at a time. With several, the trigger reads the news of all Florida and picks from it. A poll without news is still one request.',
				displayCondition:
					'={{ [$parameter.eventTypes, $parameter.filters?.counties, $parameter.filters?.licenseTypes].some((chosen) => chosen?.length > 1) }}',
				whenToDisplay: 'beforeExecution',
				location: 'ndv',
			},
			{
				message:
					'A long lookback costs a request for every 50 events in it, at each tenth poll. A day is enough for most.',
				displayCondition: '={{ ($parameter.options?.lookbackHours ?? 24) > 72 }}',
				whenToDisplay: 'always',
				location: 'ndv',
			},
		],
		builderHint: {
			searchHint:
				'Starts a workflow for every new Florida liquor or food-service license, exactly once: new restaurant and bar leads. Choose the output CRM Lead to feed a CRM.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'licensingDataApi', required: true }],
		properties: parameters,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			return await poll(this);
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}
