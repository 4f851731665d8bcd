import { openApi } from '../../server/contract.mts';

/** What a reference of openapi.yaml points to, such as `#/components/parameters/limit`. */
export const resolved = <Value,>(reference: string): Value =>
	reference
		.replace('#/', '')
		.split('/')
		.reduce((node: unknown, name) => (node as Record<string, unknown>)[name], openApi) as Value;
