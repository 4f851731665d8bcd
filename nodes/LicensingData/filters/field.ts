import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';

/** A parameter, as the editor shows it. The rest of it is in n8n's own words. */
export const field = (
	displayName: string,
	name: string,
	type: NodePropertyTypes,
	defaultValue: INodeProperties['default'],
	rest: Omit<INodeProperties, 'displayName' | 'name' | 'type' | 'default'>,
): INodeProperties => ({ displayName, name, type, default: defaultValue, ...rest });
