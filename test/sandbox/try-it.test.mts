import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { optionsFrom } from '../../sandbox/command-line.mts';
import { simulatedClock, type License, type LicensePage } from '../../sandbox/index.mts';
import { started } from './client.mts';

interface Answer {
	status: number;
	body: { data: License[] & License; pagination: LicensePage['pagination'] };
}

interface Line {
	url: URL;
	answers: Answer[];
	/** What the readme's first request brought. */
	newest: Answer;
	ask: (url: URL) => Promise<Answer>;
}

/** What the comments behind the readme's lines promise. */
const promises: Record<string, (line: Line) => void | Promise<void>> = {
	'the newest three': ({ newest: { body } }) => {
		expect(body.data).toHaveLength(3);
		expect(body.pagination.hasMore).toBe(true);
	},
	'the next three': ({ answers: [answer], newest }) => {
		expect(answer?.body.data).toHaveLength(3);
		for (const license of newest.body.data) expect(answer?.body.data).not.toContainEqual(license);
	},
	filtered: ({ answers: [answer], url }) => {
		expect(answer?.body.data.length).toBeGreaterThan(0);
		for (const { address, eventType } of answer!.body.data)
			expect([address?.county, eventType]).toEqual([...url.searchParams.values()]);
	},
	'free text': ({ answers: [answer] }) => expect(answer?.body.data.length).toBeGreaterThan(0),
	'one record, also by id': async ({ answers: [answer], newest, ask, url }) => {
		const [license] = newest.body.data;
		expect(answer?.body.data).toEqual(license);
		expect((await ask(new URL(license!.id, url))).body.data).toEqual(license);
	},
	'401': statuses(401),
	'404': statuses(404),
	'400': statuses(400),
	'429 after 20': statuses(...Array<number>(20).fill(200), ...Array<number>(5).fill(429)),
};

function statuses(...expected: number[]) {
	return ({ answers }: Line) => expect(answers.map(({ status }) => status)).toEqual(expected);
}

const readme = readFileSync(new URL('../../sandbox/README.md', import.meta.url), 'utf8');
const lines = [...readme.matchAll(/```sh\n([^`]+)```/g)]
	.flatMap(([, block = '']) => block.split('\n'))
	.filter((line) => line !== '');

it('keeps the promise behind every line of the readme to try', async () => {
	const ports = new Map<string, string>();
	const variables = new Map<string, string>();
	const kept: string[] = [];
	let newest: Answer | undefined;

	const filledIn = (word: string): string =>
		word
			.replace(/\$(\w+)/g, (_match, name: string) => present(variables.get(name), name))
			.replace('<pagination.cursor>', () =>
				present(newest?.body.pagination.cursor, 'pagination.cursor'),
			)
			.replace('<licenseNumber>', () =>
				present(newest?.body.data[0]?.licenseNumber, 'licenseNumber'),
			);
	const askFor = async (command: string, times: number, comment: string): Promise<void> => {
		const { url: written, headers } = requestOf(command, filledIn);
		const url = new URL(written);
		url.port = present(ports.get(url.port), `sandbox at ${url.port}`);
		const ask = async (address: URL): Promise<Answer> => {
			const response = await fetch(address, { headers });
			return { status: response.status, body: (await response.json()) as Answer['body'] };
		};
		const answers: Answer[] = [];
		for (let left = times; left > 0; left--) answers.push(await ask(url));
		newest ??= answers[0]!;
		await present(promises[comment], comment)({ url, answers, newest, ask });
		kept.push(comment);
	};

	for (const line of lines) {
		const [, options] = /^npm run sandbox -- (.+)$/.exec(line) ?? [];
		const [, name, value] = /^(\w+)='?([^'\s]+|[^']+(?='$))'?$/.exec(line) ?? [];
		const [, curl, comment] = /^curl (.+?) {2,}# (.+)$/.exec(line) ?? [];
		const [, times, repeated, result] =
			/^for \w+ in \$\(seq (\d+)\); do curl (.+); done {2,}# (.+)$/.exec(line) ?? [];
		if (options) {
			const asked = optionsFrom(options.split(' '));
			if (asked === 'help') throw new Error(`The readme starts no sandbox: ${line}`);
			const clock = simulatedClock('2026-09-24T12:00:00Z');
			const { sandbox } = await started({ ...asked, port: 0, clock });
			ports.set(`${asked.port}`, new URL(sandbox.baseUrl).port);
		} else if (name && value) variables.set(name, value);
		else if (curl && comment) await askFor(curl, 1, comment);
		else if (repeated && result) await askFor(repeated, Number(times), result);
		else throw new Error(`The readme has a line that this test cannot read: ${line}`);
	}
	expect(kept.sort()).toEqual(Object.keys(promises).sort());
});

/** What a curl asks for. An option that this does not know is refused, not skipped. */
function requestOf(command: string, filledIn: (word: string) => string) {
	const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
		([, single, double, bare]) => single ?? filledIn(double ?? bare ?? ''),
	);
	const headers: Record<string, string> = {};
	const urls: string[] = [];
	while (words.length > 0) {
		const word = words.shift()!;
		if (word === '-H') {
			const [name = '', value = ''] = (words.shift() ?? '').split(': ');
			headers[name] = value;
		} else if (word === '-o' || word === '-w') words.shift();
		else if (word.startsWith('http://')) urls.push(word);
		else if (word !== '-s') throw new Error(`The readme has a curl with an unknown '${word}'`);
	}
	const [url, ...more] = urls;
	if (url === undefined || more.length > 0) throw new Error(`The readme curls not one: ${command}`);
	return { url, headers };
}

function present<Value>(value: Value | null | undefined, name: string): Value {
	if (value === undefined || value === null) throw new Error(`The readme lacks '${name}'`);
	return value;
}
