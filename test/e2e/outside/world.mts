import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repository } from '../../../playground/folders.mts';
import * as services from './services.mts';

/** Preloaded into an n8n, makes it send to OUTSIDE_WORLD whatever it would send over https. */
export const DIVERT = join(repository, 'test', 'e2e', 'outside', 'divert.mts');

/** What a workflow sent to another company's service. */
export interface Call {
	method: string;
	host: string;
	/** As it was sent, before anything was decoded or shortened. */
	target: string;
	path: string;
	query: Record<string, string>;
	headers: IncomingHttpHeaders;
	/** Parsed if it is JSON. */
	body: unknown;
}

export type OutsideWorld = Awaited<ReturnType<typeof openWorld>>;

/** The services that the workflows write to, answered on this machine, which remembers what they were sent. */
export async function openWorld() {
	const calls: Call[] = [];
	const known = {
		spreadsheet: new services.Spreadsheet(),
		chatModel: new services.ChatModel(),
		hubSpot: new services.HubSpot(),
		pipedrive: new services.Pipedrive(),
		salesforce: new services.Salesforce(),
		airtable: new services.Airtable(),
		places: new services.Places(),
	};
	const answers: Record<string, (call: Call) => unknown> = {
		'api.hubapi.com': (call) => known.hubSpot.answer(call),
		'api.pipedrive.com': (call) => known.pipedrive.answer(call),
		'example.my.salesforce.com': (call) => known.salesforce.answer(call),
		'api.airtable.com': (call) => known.airtable.answer(call),
		'places.googleapis.com': (call) => known.places.answer(call),
		'crm.example.com': () => ({}),
		'ping.example.com': () => ({}),
		'slack.com': ({ body }) => ({ ok: true, ts: '1', message: body }),
		'oauth2.googleapis.com': () => ({ access_token: 'google-token-example', expires_in: 3600 }),
		'sheets.googleapis.com': (call) => known.spreadsheet.answer(call),
		'127.0.0.1': (call) => known.chatModel.answer(call),
	};
	const server = createServer((request, response) => {
		void readCall(request).then((call) => {
			calls.push(call);
			const answer = answers[call.host]?.(call);
			response.statusCode = answer === undefined ? 404 : 200;
			response.setHeader('content-type', 'application/json');
			return response.end(JSON.stringify(answer ?? { message: 'No such path' }));
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		...{ ...known, calls, address },
		/** Makes an n8n talk to this world, and to no other. */
		environment: { NODE_OPTIONS: `--import ${DIVERT}`, OUTSIDE_WORLD: address },
		/** What a service was sent, in order. */
		sent: (host: string) => calls.filter((call) => call.host === host),
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

async function readCall(request: IncomingMessage): Promise<Call> {
	const { url: target = '', method = '', headers } = request;
	const url = new URL(target, `http://${headers.host ?? ''}`);
	const sent = await text(request);
	return {
		...{ method, host: url.hostname, target },
		path: decodeURIComponent(url.pathname),
		query: Object.fromEntries(url.searchParams),
		headers,
		body: headers['content-type']?.includes('json') && sent ? (JSON.parse(sent) as unknown) : sent,
	};
}
