import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startServer } from '../server/server.mts';
import { refresh, type Summary } from './acceptFiles.mts';
import { fetchDue, type FetchOptions, isTooEarly } from './dailyFetch.mts';
import { dayOf } from './days.mts';
import type { Input } from './licensesInFile.mts';
import { isReady, Memory, readText, writeWhole, type Outcomes } from './memory.mts';
import { FloridaRegister } from './register.mts';
import { SOURCES } from './sources.mts';
import { pageOf, statusOf, type Activity } from './statusPage.mts';

export interface FloridaOptions extends FetchOptions {
	/** Where everything is remembered. */
	data: string;
	/** A folder with the state's files. Without one, they are fetched. */
	files?: string | undefined;
	sources?: readonly string[] | undefined;
	/** Of the files that are there at the start, instead of the time of each. */
	day?: string | undefined;
	/** Of what was held, at the start. */
	accept?: readonly string[];
	/** How long a file in the folder must not have changed, that it is whole. */
	standsStill?: number;
	port?: number;
	host?: string | undefined;
	names?: readonly string[];
	/** How often it looks whether there is something to do. */
	lookEvery?: number;
}

/** Takes the state's files in, from a folder or from the state, and remembers what they say. */
export async function openService(options: FloridaOptions) {
	const { data, files, day, accept, say, now = Date.now } = options;
	const { sources = SOURCES.map(({ name }) => name), wait = sleep, standsStill = 10_000 } = options;
	const memory = await Memory.open(data);
	const activity: Activity = { lastRefresh: null, failure: null };
	/** What has been looked at, so that a file is read when it has changed. */
	const seen = new Map<string, number>();

	const fetchFiles = async (): Promise<Outcomes> => {
		if (files !== undefined || (isReady(memory.snapshot) && isTooEarly(options))) return {};
		return await fetchDue(sources, memory.snapshot.refused, data, options);
	};

	/** The files that are there; of two downloads of one, the later one. */
	const look = async () => {
		const folder = files ?? join(data, 'raw');
		if (files === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
		const found = new Map<string, { path: string; mtimeMs: number; ctimeMs: number }>();
		for (const name of await readdir(folder)) {
			const [, source = ''] = /^(\w+)(?: ?\(\d+\))?\.csv$/.exec(name.toLowerCase()) ?? [];
			if (!sources.includes(source)) continue;
			const path = join(folder, name);
			const { mtimeMs, ctimeMs } = await stat(path);
			if (mtimeMs >= (found.get(source)?.mtimeMs ?? 0))
				found.set(source, { path, mtimeMs, ctimeMs });
		}
		return found;
	};

	/** The files that have changed, and stand still: when one was written to last is a time that nobody can set. */
	const inputs = async (givenDay: string | undefined): Promise<Input[]> => {
		const before = await look();
		const latest = Math.max(...[...before.values()].map(({ ctimeMs }) => ctimeMs));
		// Where the clock was set back, it lies in the future.
		await wait(Math.min(Math.max(latest + standsStill - Date.now(), 0), standsStill));
		const changed: Input[] = [];
		for (const [source, { path, mtimeMs, ctimeMs }] of await look())
			if (ctimeMs !== before.get(source)?.ctimeMs)
				say(`${path} is still being written, and is looked at later.`);
			else if (ctimeMs !== seen.get(source)) {
				seen.set(source, ctimeMs);
				changed.push({ source, path, day: givenDay ?? dayOf(mtimeMs) });
			}
		return changed;
	};

	/** Takes in what is due; undefined where nothing was, or it failed: what was known is served all the same. */
	const update = async (): Promise<Summary | undefined> => {
		const isFirst = activity.lastRefresh === null;
		try {
			if (await memory.read()) seen.clear();
			const fetched = await fetchFiles();
			const changed = await inputs(isFirst ? day : undefined);
			if (!isFirst && changed.length + Object.keys(fetched).length === 0) return undefined;
			const more = { fetched, say, accept: isFirst ? accept : [] };
			const summary = await refresh(memory, changed, more);
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
	};
	return { memory, activity, update };
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
	const service = await openService(options);
	const { memory, activity } = service;
	const register = new FloridaRegister(memory);
	const key = await keyOf(options.data);
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
			const pause = activity.failure === null ? lookEvery : lookEvery * 10;
			await sleep(pause, undefined, { ref: false });
		}
	};
	void watch();
	const close = async () => {
		isOpen = false;
		await server.close();
	};
	return { key, register, service, origin: server.origin, baseUrl: server.baseUrl, close };
}

/** The key that may ask, made once. */
async function keyOf(data: string): Promise<string> {
	const path = join(data, 'key');
	const known = (await readText(path))?.trim();
	const key = known || `ls_own_${randomBytes(24).toString('hex')}`;
	if (key !== known) await writeWhole(path, [`${key}\n`]);
	return key;
}
