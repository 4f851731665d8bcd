/** Lists that a service might hold and nobody thought of, in their own process, generated on request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface List {
	/** How many licenses are new after the trigger has seen the others. */
	news: number;
	pageSize: number;
	county?: string;
	/** What each new license has on top of the usual: bytes of JSON, in one long text or many small parts. */
	more?: { bytes: number; of: 'text' | 'parts' };
}

const OLD = 10;
const list = JSON.parse(process.argv[2] ?? '') as List;
const { news, pageSize, county = 'Lee' } = list;
const { bytes, of } = list.more ?? { bytes: 0, of: 'text' };
const more = of === 'text' ? `"${'x'.repeat(bytes)}"` : `[${'{},'.repeat(bytes / 3)}0]`;
const start = Date.now() - 12 * 3_600_000;
let hasNews = false;
let requests = 0;

/** Newest first; the first ten were there before anybody looked. */
function license(age: number, length: number): string {
	const number = length - age;
	const isOld = number <= OLD;
	const time = new Date(start + number * 100).toISOString();
	return `{"id":"lic_${number}","licenseNumber":"COP-${number}","businessName":"Bar ${number}","address":{"county":"${county}"},"eventType":"new_filing","eventTimestamp":"${time}","more":${isOld ? 0 : more}}`;
}

const server = createServer((request, response) => {
	requests++;
	const { searchParams } = new URL(request.url ?? '/', 'http://service.example.com');
	const from = Number(searchParams.get('cursor') ?? 0);
	const length = OLD + (hasNews ? news : 0);
	const end = Math.min(from + pageSize, length);
	response.setHeader('content-type', 'application/json');
	response.write('{"data":[');
	for (let age = from; age < end; age++)
		response.write(`${age === from ? '' : ','}${license(age, length)}`);
	const cursor = end < length ? `"${end}"` : null;
	response.end(`],"pagination":{"cursor":${cursor},"hasMore":${cursor !== null}}}`);
});

server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	process.send?.({ baseUrl: `http://127.0.0.1:${port}/v1` });
});
process.once('disconnect', () => process.exit());
process.on('message', () => {
	hasNews = true;
	process.send?.({ requests });
	requests = 0;
});
