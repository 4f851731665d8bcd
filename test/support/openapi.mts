import { checkOf, openApi, type Content } from '../../server/contract.mts';

/** What a reference of openapi.yaml points to, such as `#/components/parameters/limit`. */
export const resolved = <Value,>(reference: string): Value =>
	reference
		.replace('#/', '')
		.split('/')
		.reduce((node: unknown, name) => (node as Record<string, unknown>)[name], openApi) as Value;

/** How an answer departs from openapi.yaml, or nothing. */
export function answerFault(method: string, path: string, status: number, body: unknown) {
	const isIt = (template: string) =>
		new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(path);
	const [, methods] = Object.entries(openApi.paths).find(([template]) => isIt(template)) ?? [];
	const answer = methods?.[method.toLowerCase()]?.responses[String(status)];
	if (!answer) return `${method} ${path} ${status} is not in openapi.yaml`;
	const { content } = '$ref' in answer ? resolved<Content>(answer.$ref) : answer;
	return content && checkOf(content['application/json']?.schema)(body);
}
