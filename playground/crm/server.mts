import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fastify } from 'fastify';
import type { Register } from '../../sandbox/index.mts';
import { repository } from '../folders.mts';
import { asTexts, type Lead, LeadBook, type ReceivedLead } from './leads.mts';

export interface Crm {
	/** Of the page. */
	address: string;
	/** Where workflows send leads. */
	leadsAddress: string;
	book: LeadBook;
	close(): Promise<void>;
}

/** The smallest thing worth the name: it takes leads over HTTP, keeps them, and shows them live. */
export async function startCrm(options: {
	port?: number;
	file: string;
	/** Whose date the page shows, and which lists more when asked. */
	register?: Register;
}): Promise<Crm> {
	const { register } = options;
	const book = await LeadBook.open(options.file);
	const page = join(repository, 'playground', 'crm', 'page.html');
	const server = fastify({ forceCloseConnections: true });

	// A page of another origin may send requests here, too, even under a name of its own for this machine.
	server.addHook('onRequest', async ({ headers: { host, origin } }, reply) => {
		const isOwn =
			/^(127\.0\.0\.1|localhost):\d+$/.test(host ?? '') &&
			(origin === undefined || origin === `http://${host}`);
		if (!isOwn)
			await reply.code(403).send({ error: "Only this server's own pages may use this address." });
	});

	server.get('/', async (_request, reply) => {
		const html = reply.type('text/html; charset=utf-8');
		return await html
			.header('content-security-policy', "frame-ancestors 'none'")
			.send(await readFile(page));
	});

	server.get('/leads', () => book.leads);

	server.post<{ Body: Lead; Querystring: { workflow?: string } }>(
		'/leads',
		{ schema: { body: { type: 'object', minProperties: 1 } } },
		async ({ body, query }, reply) =>
			await reply.code(201).send(await book.add(body, query.workflow)),
	);

	server.post('/more', (_request, reply) => {
		register?.advance();
		return reply.code(204).send();
	});

	server.get('/stream', (request, reply) => {
		reply.hijack();
		const { raw } = reply;
		raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		const send = (lead: ReceivedLead) =>
			raw.write(`id: ${lead.number}\ndata: ${JSON.stringify(asTexts(lead))}\n\n`);
		// What is already there comes first, so that a page that reconnects misses nothing.
		const seen = Number(request.headers['last-event-id'] ?? 0);
		const since = seen <= book.leads.length ? seen : 0;
		for (const lead of book.leads.slice(since)) send(lead);
		book.on('lead', send);
		const sendDay = () => {
			raw.write(`event: day\ndata: ${JSON.stringify({ day: register?.day })}\n\n`);
		};
		if (register) sendDay();
		const forget = register?.onRefresh(sendDay);
		raw.on('close', () => {
			book.off('lead', send);
			forget?.();
		});
	});

	await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { port } = server.server.address() as { port: number };
	const address = `http://127.0.0.1:${port}`;
	const close = async () => await server.close();
	return { address, leadsAddress: `${address}/leads`, book, close };
}
