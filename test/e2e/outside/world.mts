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

/** The services that the workflows write to, answered on this machine, which remembers what they were sent. */
export class OutsideWorld {
	readonly calls: Call[] = [];
	readonly spreadsheet = new services.Spreadsheet();
	readonly chatModel = new services.ChatModel();
	readonly hubSpot = new services.HubSpot();
	readonly pipedrive = new services.Pipedrive();
	readonly salesforce = new services.Salesforce();
	readonly airtable = new services.Airtable();
	readonly places = new services.Places();

	private readonly services: Record<string, (call: Call) => unknown> = {
		'api.hubapi.com': (call) => this.hubSpot.answer(call),
		'api.pipedrive.com': (call) => this.pipedrive.answer(call),
		'example.my.salesforce.com': (call) => this.salesforce.answer(call),
		'api.airtable.com': (call) => this.airtable.answer(call),
		'places.googleapis.com': (call) => this.places.answer(call),
		'crm.example.com': () => ({}),
		'ping.example.com': () => ({}),
		'slack.com': ({ body }) => ({ ok: true, ts: '1', message: body }),
		'oauth2.googleapis.com': () => ({ access_token: 'google-token-example', expires_in: 3600 }),
		'sheets.googleapis.com': (call) => this.spreadsheet.answer(call),
		'127.0.0.1': (call) => this.chatModel.answer(call),
	};

	private readonly server = createServer((request, response) => {
		void readCall(request).then((call) => {
			this.calls.push(call);
			const answer = this.services[call.host]?.(call);
			response.statusCode = answer === undefined ? 404 : 200;
			response.setHeader('content-type', 'application/json');
			return response.end(JSON.stringify(answer ?? { message: 'No such path' }));
		});
	}).listen(0, '127.0.0.1');

	static async open(): Promise<OutsideWorld> {
		const world = new OutsideWorld();
		await once(world.server, 'listening');
		return world;
	}

	get address(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Makes an n8n talk to this world, and to no other. */
	get environment(): Record<string, string> {
		return { NODE_OPTIONS: `--import ${DIVERT}`, OUTSIDE_WORLD: this.address };
	}

	/** What a service was sent, in order. */
	sent(host: string): Call[] {
		return this.calls.filter((call) => call.host === host);
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
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
