import { readFileSync } from 'node:fs';

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

export interface Content {
	content?: { 'application/json'?: { schema: object } };
}
export interface Operation {
	operationId: string;
	parameters?: Array<{ name: string; in: string; schema: object } | { $ref: string }>;
	requestBody?: Content;
	responses: Record<string, Content | { $ref: string }>;
}
type Paths = Record<string, Record<string, Operation>>;

const document = readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8');
export const openApi = parse(document) as { openapi: string; paths: Paths; webhooks: Paths };

const checks = new Ajv2020({ strict: false });
addFormats.default(checks);
checks.addSchema({ ...openApi }, 'openapi');

export function operationOf(operationId: string): Operation {
	const operation = [...Object.values(openApi.paths), ...Object.values(openApi.webhooks)]
		.flatMap((methods) => Object.values(methods))
		.find((one) => one.operationId === operationId);
	if (!operation) throw new Error(`openapi.yaml has no operation '${operationId}'`);
	return operation;
}

/** Says what is wrong with a value by a schema of the document, or nothing. */
export function checkOf(schema: object = {}): (value: unknown) => string | undefined {
	const anchored = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
	const validate = checks.compile(JSON.parse(anchored) as object);
	return (value) => (validate(value) ? undefined : checks.errorsText(validate.errors));
}
