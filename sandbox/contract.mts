import { readFileSync } from 'node:fs';

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

/** `openapi.yaml` at work: what it says about requests and answers, as checks. */
export interface Schema {
	$ref?: string;
	type?: string;
	enum?: string[];
	default?: number;
	minimum?: number;
	maximum?: number;
}
interface Parameter {
	name: string;
	in: string;
	schema: Schema;
}
interface Content {
	content?: { 'application/json'?: { schema: Schema } };
}
interface Operation {
	operationId: string;
	parameters?: Array<Parameter | { $ref: string }>;
	requestBody?: Content;
	responses: Record<string, Content | { $ref: string }>;
}
export interface OpenApi {
	openapi: string;
	paths: Record<string, Record<string, Operation>>;
	webhooks: Record<string, Record<string, Operation>>;
	[member: string]: unknown;
}

const DOCUMENT = 'openapi';

export const openApi = parse(
	readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8'),
) as OpenApi;

const operations = new Map<string, Operation>(
	[...Object.values(openApi.paths), ...Object.values(openApi.webhooks)]
		.flatMap((methods) => Object.values(methods))
		.map((operation) => [operation.operationId, operation]),
);

const checks = new Ajv2020({ strict: false, useDefaults: true });
addFormats.default(checks);
checks.addSchema({ ...openApi }, DOCUMENT);

const operationOf = (operationId: string): Operation => {
	const operation = operations.get(operationId);
	if (!operation) throw new Error(`openapi.yaml has no operation '${operationId}'`);
	return operation;
};

function resolved<Value extends object>(value: Value | { $ref: string }): Value {
	if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
	return value.$ref
		.replace('#/', '')
		.split('/')
		.reduce((node, name) => (node as Record<string, unknown>)[name], openApi as unknown) as Value;
}

/** The same schema, with its references pointing into the document. */
const anchored = (schema: Schema): object =>
	JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${DOCUMENT}#/`)) as object;

export interface QueryFault {
	message: string;
	parameter: string;
	isUnknown: boolean;
}

/**
 * Checks a query in place; returns what is wrong with it, or nothing. `changes` are parameters that a service
 * has or declares otherwise than the document, or lacks (null).
 */
export function queryCheck(
	operationId: string,
	changes: Record<string, Schema | null> = {},
): (query: Record<string, unknown>) => QueryFault | undefined {
	const parameters = (operationOf(operationId).parameters ?? [])
		.map((parameter) => resolved<Parameter>(parameter))
		.filter((parameter) => parameter.in === 'query' && !(parameter.name in changes));
	for (const [name, schema] of Object.entries(changes))
		if (schema) parameters.push({ name, in: 'query', schema });
	const validate = checks.compile({
		type: 'object',
		additionalProperties: false,
		properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, anchored(schema)])),
	});
	const faultIn = ([error]: ErrorObject[]): QueryFault => {
		if (error?.keyword === 'additionalProperties') {
			const unknown = String(error.params.additionalProperty);
			const known = parameters.map(({ name }) => `'${name}'`).join(', ');
			const message = `There is no parameter '${unknown}'. ${known ? `The parameters are ${known}.` : 'This operation takes none.'}`;
			return { message, parameter: unknown, isUnknown: true };
		}
		const name = error?.instancePath.slice(1) ?? '';
		const parameter = parameters.find((one) => one.name === name);
		const message = `The value of '${name}' must be ${parameter ? expected(parameter.schema) : 'valid'}.`;
		return { message, parameter: name, isUnknown: false };
	};
	const numbers = parameters.filter(({ schema }) => schema.type === 'integer');
	return (query: Record<string, unknown>) => {
		// Query values arrive as text. Only digits are a whole number: not 0x5, 1e1 or 5.0.
		for (const { name } of numbers)
			if (/^\d+$/.test(String(query[name]))) query[name] = Number(query[name]);
		return validate(query) ? undefined : faultIn(validate.errors ?? []);
	};
}

function expected(reference: Schema): string {
	const schema = resolved<Schema>(reference as Schema);
	if (schema.enum) return `one of ${schema.enum.join(', ')}, given once`;
	if (schema.type === 'integer') {
		const to = schema.maximum === undefined ? 'up' : `to ${schema.maximum}`;
		return `a whole number from ${schema.minimum} ${to}, given once`;
	}
	return 'a text, given once';
}

/** Returns what is wrong with a request's body, in words, or nothing. */
export function bodyCheck(operationId: string): (body: unknown) => string | undefined {
	const schema = operationOf(operationId).requestBody?.content?.['application/json']?.schema;
	if (!schema) throw new Error(`Operation '${operationId}' takes no body`);
	const validate = checks.compile(anchored(schema));
	return (body) => (validate(body) ? undefined : faultOf('The body', validate.errors));
}

/** What is wrong with something, in words. */
export function faultOf(something: string, errors: ErrorObject[] | null | undefined): string {
	const [error] = errors ?? [];
	const where = error?.instancePath ? `${something}'s '${error.instancePath.slice(1)}'` : something;
	if (error?.keyword === 'additionalProperties')
		return `${where} takes no '${error.params.additionalProperty}'.`;
	return `${where} ${error?.message ?? 'is not valid'}.`;
}

const answerChecks = new Map<string, ValidateFunction | null>();

/** Returns how a response departs from the document, or nothing. */
export function answerFault(
	operationId: string,
	status: number,
	body: unknown,
): string | undefined {
	const key = `${operationId} ${status}`;
	let validate = answerChecks.get(key);
	if (validate === undefined) {
		const response = operationOf(operationId).responses[String(status)];
		if (!response) return `${key} is not in openapi.yaml`;
		const schema = resolved<Content>(response).content?.['application/json']?.schema;
		validate = schema ? checks.compile(anchored(schema)) : null;
		answerChecks.set(key, validate);
	}
	if (validate === null || validate(body)) return undefined;
	return `${key}: ${checks.errorsText(validate.errors)}`;
}
