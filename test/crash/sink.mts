import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import type { License } from '../../sandbox/index.mts';
import { keyOf } from './feed.mts';

/** What a trigger brings of an event. */
export interface Lead {
	trigger: string;
	event: string;
}

/**
 * The CRM: reports which leads arrive for the first time, and takes its time, so that an execution can be cut
 * off midway.
 */
export class Sink extends EventEmitter<{ delivery: [trigger: string] }> {
	private readonly server = fastify({ forceCloseConnections: true });
	private readonly leads = new Set<string>();

	private constructor() {
		super();
	}

	static async open(delay: number): Promise<Sink> {
		const sink = new Sink();
		sink.server.post<{
			Body: Partial<License>;
			Querystring: { trigger: string };
		}>('/leads', async ({ body, query: { trigger } }, reply) => {
			const lead = { trigger, event: keyOf(body) };
			const isNew = !sink.has(lead);
			sink.leads.add(nameOf(lead));
			if (isNew) sink.emit('delivery', trigger);
			await sleep(delay);
			return await reply.code(201).send({});
		});
		await sink.server.listen({ host: '127.0.0.1', port: 0 });
		return sink;
	}

	/** Where one of the triggers sends its leads. */
	addressFor(trigger: string): string {
		const { port } = this.server.server.address() as AddressInfo;
		return `http://127.0.0.1:${port}/leads?trigger=${encodeURIComponent(trigger)}`;
	}

	has(lead: Lead): boolean {
		return this.leads.has(nameOf(lead));
	}

	async close(): Promise<void> {
		await this.server.close();
	}
}

const nameOf = ({ trigger, event }: Lead): string => `${trigger}: ${event}`;
