import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { faultOf } from '../contract.mts';
import type { Aim, Trouble } from './trouble.mts';

type FieldsOf<One> = { [Field in Exclude<keyof One, 'kind'>]-?: object };

const text = { type: 'string' };
const answerStatus = { type: 'integer', minimum: 200, maximum: 599 };
const errorStatus = { type: 'integer', minimum: 400, maximum: 599 };
const seconds = { type: 'number', minimum: 0 };
/** A timer set for longer than this does not wait at all. */
const milliseconds = { type: 'number', minimum: 0, maximum: 2 ** 31 - 1 };

/** What each kind of trouble takes besides its kind. */
const troubleFields: {
	[Kind in Trouble['kind']]: FieldsOf<Extract<Trouble, { kind: Kind }>>;
} = {
	delay: { milliseconds },
	rateLimit: { retryAfter: seconds },
	error: { status: errorStatus, type: text, message: text, retryAfter: seconds },
	htmlPage: { status: answerStatus },
	droppedConnection: {},
	truncatedBody: {},
	wrongShape: { body: {} },
};
const aimFields: FieldsOf<Omit<Aim, 'where'>> = {
	times: { type: 'integer', minimum: 1 },
	after: { type: 'integer', minimum: 0, maximum: 1e6 },
	path: { type: 'string', format: 'path without /v1' },
	withCursor: { type: 'boolean' },
};
/** Everything else is optional. */
const required = ['milliseconds'];

// Without strict numbers, a trouble may come an infinite number of times; a range refuses NaN.
const ajv = new Ajv2020({ strict: false, strictNumbers: false });
ajv.addFormat('path without /v1', /^\/(?!v1(\/|$))[^?#\s]*$/);
const checkOf = (properties: Record<string, object>): ValidateFunction =>
	ajv.compile({
		type: 'object',
		required: required.filter((field) => field in properties),
		additionalProperties: false,
		properties,
	});

const aimCheck = checkOf(aimFields);
const troubleChecks = new Map(
	Object.entries(troubleFields).map(([kind, fields]) => [kind, checkOf({ kind: text, ...fields })]),
);
const troubleKinds = [...troubleChecks.keys()];

/** Returns what is wrong with a trouble or its aim, in words, or nothing. */
export function troubleFault(trouble: Trouble, { where, ...aim }: Aim): string | undefined {
	const { kind } = trouble;
	const check = troubleChecks.get(kind);
	if (!check) return `There is no trouble '${kind}'. The kinds are ${troubleKinds.join(', ')}.`;
	if (!check(trouble)) return faultOf('The trouble', check.errors);
	if (!aimCheck(aim)) return faultOf('The aim', aimCheck.errors);
	if (where !== undefined && typeof where !== 'function')
		return "The aim's 'where' is a function, for tests in the same process.";
	return undefined;
}
