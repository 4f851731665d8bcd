import {
	ALL_EVENT_TYPES,
	COUNTIES,
	LICENSE_TYPES,
} from '../../nodes/LicensingData/licenses/knownValues.ts';
import { checkOf, operationOf } from '../../sandbox/contract.mts';
import { API_KEY } from '../support/answers.mts';
import { useService } from '../support/loopback.mts';
import { resolved } from '../support/openapi.mts';
import { page } from '../support/records.mts';

/** What a request asked for, as the service understands it. */
export interface Asked {
	path: string;
	query: Record<string, string>;
}

const isOneOf = (choices: Array<{ value: string }>) => (given: string) =>
	choices.some(({ value }) => value === given);
const isText = (given: string) =>
	given !== '' && given.length <= 200 && !/\p{Cc}|\p{Cs}|\ufffd/u.test(given);

/** What is wrong with a query by openapi.yaml, or nothing. */
function queryCheck(operationId: string): (query: Record<string, string>) => string | undefined {
	const parameters = (operationOf(operationId).parameters ?? []).map((parameter) =>
		'$ref' in parameter ? resolved<{ name: string; schema: object }>(parameter.$ref) : parameter,
	);
	const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
	const check = checkOf({ type: 'object', additionalProperties: false, properties });
	// Only digits are a whole number: not 0x5, 1e1 or 5.0.
	return ({ limit, ...query }) =>
		check({
			...query,
			...(limit !== undefined && { limit: /^\d+$/.test(limit) ? Number(limit) : limit }),
		});
}

const documented = {
	'/v1/licenses': queryCheck('listLicenses'),
	'/v1/licenses/search': queryCheck('searchLicenses'),
};

/** If the interface also documents values, nothing else may be sent. */
const VALUES: Record<string, (given: string) => boolean> = {
	county: isOneOf(COUNTIES),
	license_type: isOneOf(LICENSE_TYPES),
	event_type: isOneOf(ALL_EVENT_TYPES),
	limit: (given) => /^\d{1,2}$/.test(given) && Number(given) >= 1 && Number(given) <= 50,
};

/** Answers every documented request with a record that says what was asked, and keeps the undocumented ones. */
export class Echo {
	readonly asked: Asked[] = [];
	readonly undocumented: string[] = [];
	readonly service = useService((request, response) => {
		const asked = understand(request.url ?? '');
		const { authorization } = request.headers;
		if (asked && request.method === 'GET' && authorization === `Bearer ${API_KEY}`)
			this.asked.push(asked);
		else this.undocumented.push(`${request.method} ${request.url}`.slice(0, 300));
		const license = { id: 'lic_1', status: 'active', eventType: 'new_filing', asked };
		const isRecord = /^\/v1\/licenses\/(?!search$)/.test(asked?.path ?? '');
		response.end(JSON.stringify(isRecord ? { data: license } : page([license])));
	});

	/** The caller may have given up before its request arrived, so another request goes through first. */
	async forget(): Promise<void> {
		await (await fetch(this.service.baseUrl)).text();
		this.asked.length = 0;
		this.undocumented.length = 0;
	}
}

function understand(url: string): Asked | undefined {
	// Read as it was sent: URL would clean up exactly what a path must not hold.
	const [, path = '', search = ''] =
		/^(\/v1\/licenses(?:\/[\w.!~*'()%-]+)?)(?:\?([^#?\s]*))?$/.exec(url) ?? [];
	const segment = path.slice('/v1/licenses/'.length);
	if (path === '' || /^\.{1,2}$/.test(segment)) return undefined;
	const pairs = [...new URLSearchParams(search)];
	const query = Object.fromEntries(pairs);
	const check = documented[path as keyof typeof documented];
	const isDocumented =
		pairs.length === Object.keys(query).length &&
		(check ? check({ ...query }) === undefined : pairs.length === 0) &&
		pairs.every(([name, value]) => isText(value) && (VALUES[name]?.(value) ?? true));
	return isDocumented ? { path, query } : undefined;
}
