import type { INodeProperties } from 'n8n-workflow';

/** What the License node and the polling trigger hand on to the service as it is. */
export const freeTextFilter: INodeProperties = {
	displayName: 'Free Text',
	name: 'query',
	type: 'string',
	default: '',
	placeholder: 'e.g. oyster bar',
	description: 'Words to look for in business names, cities and counties',
};

export const statusFilter: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'string',
	default: '',
	placeholder: 'e.g. active',
	description: 'The state of the license, in one lowercase word',
};
