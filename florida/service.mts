import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startServer } from '../server/server.mts';
import { dayOf } from './calendar.mts';
import { fetchDue, type FetchOptions } from './fetch.mts';
import { isReady, Memory, readText, writeWhole } from './memory.mts';
import { refresh, type Input, type Summary } from './refresh.mts';
import { FloridaRegister } from './register.mts';
import { SOURCES } from './sources.mts';
import { pageOf, statusOf, type Activity } from './status.mts';

export interface ServiceOptions extends FetchOptions {
	/** Where everything is remembered. */
	data: string;
	/** A folder with the state's files. Without one, they are fetched. */
	files?: string | undefined;
	sources?: readonly string[] | undefined;
	/** Of the files that are there at the start, instead of the time of each. */
	day?: string | undefined;
	/** Of what was held, at the start. */
	accept?: readonly string[];
	/** The hour of the day from which on files are fetched. */
	hour?: number;
	/** How long a file in the folder must not have changed, that it is whole. */
	standsStill?: number;
}

/** Takes the state's files in, from a folder or from the state, and remembers what they say. */
export class Service {
	readonly activity: Activity = { lastRefresh: null, failure: null };
	/** What has been looked at, so that a file is read when it has changed. */
	private readonly seen = new Map<string, string>();

	private constructor(
		readonly memory: Memory,
		private readonly options: ServiceOptions,
	) {}

	static async open(options: ServiceOptions): Promise<Service> {
		return new Service(await Memory.open(options.data), options);
	}

	/** The key that may ask, made once. */
	async key(): Promise<string> {
		const path = this.memory.path('key');
		const known = (await readText(path))?.trim();
		if (known) return known;
		const key = `ls_own_${randomBytes(24).toString('hex')}`;
		await writeWhole(path, [`${key}\n`]);
		return key;
	}

	/** Takes in what is due; undefined where nothing was, or it failed: what was known is served all the same. */
	async update(): Promise<Summary | undefined> {
		const { memory, activity, seen } = this;
		const { files, accept = [], say, now = Date.now } = this.options;
		const isFirst = activity.lastRefresh === null;
		try {
			if (await memory.read()) seen.clear();
			const fetched = files === undefined ? await this.fetch() : {};
			const inputs = await this.inputs(isFirst);
			if (!isFirst && inputs.length === 0 && Object.keys(fetched).length === 0) return undefined;
			const summary = await refresh(memory, inputs, { fetched, say, ...(isFirst && { accept }) });
			Object.assign(activity, { lastRefresh: new Date(now()).toISOString(), failure: null });
			return summary;
		} catch (error) {
			// It is looked at again.
			seen.clear();
			const { message } = error as Error;
			if (message !== activity.failure)
				say(`The files could not be taken in, and what was known is served: ${message}`);
			activity.failure = message;
			return undefined;
		}
	}

	private async fetch(): Promise<Record<string, string | undefined>> {
		const { memory, options } = this;
		const { sources = SOURCES.map(({ name }) => name), hour = 0, now = Date.now } = options;
		if (isReady(memory.snapshot) && new Date(now()).getHours() < hour) return {};
		const unusable = Object.keys(memory.snapshot.refused);
		return await fetchDue(sources, unusable, memory.folder, options);
	}

	/** The files that have changed; of two downloads of one, the later one. */
	private async inputs(isFirst: boolean): Promise<Input[]> {
		const { memory, seen } = this;
		const { files, sources, day } = this.options;
		const folder = files ?? memory.path('raw');
		if (files === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
		const found = new Map<string, { path: string; changed: number; size: number }>();
		for (const name of await readdir(folder)) {
			const [, given = ''] = /^(\w+)(?: ?\(\d+\))?\.csv$/i.exec(name) ?? [];
			const source = given.toLowerCase();
			const isKnown = SOURCES.some((one) => one.name === source);
			if (!isKnown || sources?.includes(source) === false) continue;
			const file = await this.whole(join(folder, name));
			if (file && file.changed >= (found.get(source)?.changed ?? 0)) found.set(source, file);
		}
		return SOURCES.flatMap(({ name: source }) => {
			const file = found.get(source);
			const version = JSON.stringify(file);
			if (!file || seen.get(source) === version) return [];
			seen.set(source, version);
			return { source, path: file.path, day: (isFirst && day) || dayOf(file.changed) };
		});
	}

	/** A file that is not written to any more: that moves its last change, which nobody can set. */
	private async whole(path: string) {
		const { files, standsStill = 10_000, wait = sleep } = this.options;
		for (;;) {
			const seen = await stat(path).catch(() => undefined);
			if (!seen?.isFile()) return undefined;
			const left = files === undefined ? 0 : seen.ctimeMs + standsStill - Date.now();
			if (left <= 0) return { path, changed: seen.mtimeMs, size: seen.size };
			await wait(Math.min(left, standsStill));
		}
	}
}

export interface FloridaOptions extends ServiceOptions {
	port?: number;
	host?: string | undefined;
	names?: readonly string[];
	/** How often it looks whether there is something to do. */
	lookEvery?: number;
}

/**
 * Florida's own files as a source, over the interface of server/:
 *
 *   const florida = await startFlorida({ data, files, say });
 *   florida.baseUrl, florida.key     what a user enters
 *   await florida.close()
 */
export async function startFlorida(options: FloridaOptions) {
	const { port = 0, host, names = [], lookEvery = 60_000 } = options;
	const service = await Service.open(options);
	const { memory, activity } = service;
	const register = new FloridaRegister(memory.snapshot);
	const key = await service.key();
	const status = () => statusOf(memory.snapshot, activity);
	const server = await startServer({
		...{ port, names, accounts: [{ name: 'own', key, register }] },
		...(host !== undefined && { host }),
		extend: (fastify) => {
			fastify.get('/status', async () => status());
			fastify.get('/', async (_, reply) => {
				const policy = "default-src 'none'; style-src 'unsafe-inline'";
				void reply.header('Content-Security-Policy', policy);
				return await reply.type('text/html; charset=utf-8').send(pageOf(status()));
			});
		},
	});
	let isOpen = true;
	const watch = async (): Promise<void> => {
		while (isOpen) {
			await service.update();
			register.show(memory.snapshot);
			const pause = activity.failure === null ? lookEvery : lookEvery * 10;
			await sleep(pause, undefined, { ref: false });
		}
	};
	void watch();
	return {
		...{ key, register, service, origin: server.origin, baseUrl: server.baseUrl },
		close: async () => {
			isOpen = false;
			await server.close();
		},
	};
}
