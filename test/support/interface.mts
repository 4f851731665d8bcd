import { checkOf, openApi } from '../../server/contract.mts';
import type { License, LicensePage } from '../../server/license.mts';
import type { Loopback } from './loopback.mts';

/** How an answer departs from openapi.yaml, or nothing. */
function answerFault(path: string, status: number, body: unknown) {
	const isIt = (template: string) =>
		new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(path);
	const [, methods] = Object.entries(openApi.paths).find(([template]) => isIt(template)) ?? [];
	const answer = methods?.get?.responses[String(status)];
	if (!answer) return `${path} ${status} is not in openapi.yaml`;
	const schema =
		'$ref' in answer
			? { $ref: `${answer.$ref}/content/application~1json/schema` }
			: answer.content?.['application/json']?.schema;
	return checkOf(schema)(body);
}

/** Expects that a service on server/ answers as openapi.yaml describes it, whatever is behind it. */
export async function expectInterface(service: Loopback['credentials']): Promise<License[]> {
	const { baseUrl, apiKey } = service;
	const ask = async (path: string, key = apiKey) => {
		const response = await fetch(baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });
		const body = (await response.json()) as LicensePage & { data: License[] };
		const [pathname = ''] = path.split('?');
		expect(answerFault(pathname, response.status, body)).toBeUndefined();
		return { status: response.status, body };
	};
	const read: License[] = [];
	let cursor: string | null = '';
	while (cursor !== null) {
		const { body }: { body: LicensePage } = await ask(`/licenses?limit=50&cursor=${cursor}`);
		read.push(...body.data);
		({ cursor } = body.pagination);
		expect(body.pagination.total).toBeGreaterThanOrEqual(read.length);
	}
	expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
	const cursors = ['nonsense', '%00', btoa('null'), btoa('{"after":7}'), btoa('{"offset":1e99}')];
	for (const strange of [...cursors, btoa('{"offset":-1}'), btoa('["after"]')]) {
		const { body } = await ask(`/licenses?limit=3&cursor=${strange}`);
		expect([strange, body.data]).toEqual([strange, read.slice(0, 3)]);
	}
	for (const event of ['new_filing', 'ownership_transfer']) {
		const { body } = await ask(`/licenses?limit=50&event_type=${event.toUpperCase()}`);
		const all = read.filter(({ eventType }) => eventType === event);
		expect(body.data).toEqual(all.slice(0, 50));
		expect(body.pagination.total).toBe(all.length);
	}
	for (const license of read.slice(0, 2))
		for (const name of [license.id, license.licenseNumber])
			expect((await ask(`/licenses/${name}`)).body.data).toEqual(license);
	for (const path of ['/licenses/none', '/licenses/..%2f..', '/licenses/__proto__'])
		expect([path, (await ask(path)).status]).toEqual([path, 404]);
	expect((await ask('/licenses/search')).status).toBe(400);
	expect((await ask('/licenses/search?q=a&limit=1000')).status).toBe(200);
	const wrong = [apiKey.slice(0, -1), `${apiKey}x`, apiKey.toUpperCase(), 'ls_own_'];
	for (const key of wrong) expect((await ask('/licenses', key)).status).toBe(401);
	return read;
}
