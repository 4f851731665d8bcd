import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { createSandbox, type Register } from '../sandbox/index.mts';
import { repository, workspace } from './folders.mts';
import type { Beginning } from './workflows.mts';

/** What the playground's workflows ask. */
export interface PlayedService {
	/** How n8n's list calls its credential. */
	name: string;
	baseUrl: string;
	apiKey: string;
	/** Of a workflow that is imported now. */
	beginning: Beginning;
	/** For the window where `npm start` runs. */
	about: string;
	/** Whose date the page of leads shows, and which lists more when asked. */
	register?: Register;
	/** Calls back if it ends by itself. */
	onEnd?: (listener: () => void) => void;
	close: () => Promise<unknown>;
}

const DAY = 86_400_000;
const daysBefore = (moment: number, days: number): string =>
	new Date(moment - days * DAY).toISOString();

/**
 * A small register: the trigger reads a list in full once in as many minutes as it has pages, and here each minute
 * lists more.
 */
const REGISTER = { records: 8_000, rates: { liquorADay: 8, foodADay: 2, groceries: 20 } };

/** Made-up licenses. */
export async function startSandbox(
	port: number,
	folder: string,
	day: number,
): Promise<PlayedService> {
	const stateFile = join(folder, 'register.json');
	const sandbox = await createSandbox({ port, ...REGISTER, listEvery: day * 1000, stateFile });
	const { register, baseUrl, keys, control, close } = sandbox;
	return {
		...{ name: 'Licensing Data (Sandbox)', baseUrl, apiKey: keys.live, register, close },
		// The first leads come at once.
		beginning: {
			startFrom: daysBefore(Date.parse(register.day), 7),
			said: 'the filings of the last week',
		},
		about: `made-up licenses, filed up to today. Every ${day} seconds, a day's worth of new ones is added.
             n8n has a credential for it already.
    Base URL   ${baseUrl}
    Live key   ${keys.live}   new licenses every ${day} seconds: use it for triggers
    Test key   ${keys.test}   the same 500 licenses on every call
    Control    ${control.url}   with the header 'X-Sandbox-Token: ${control.token}'
               adds licenses, or makes the service fail (see sandbox/README.md)`,
	};
}

interface Status {
	isReady: boolean;
	day: string | null;
	lastRefresh: string | null;
	sources: Array<{ name: string; refused: { why: string } | null }>;
}

/** Florida's own files, as `npm run florida` serves them: what it remembers outlives `--fresh`. */
export async function startFlorida(port: number, files?: string): Promise<PlayedService> {
	const data = join(workspace, 'florida');
	const folder = files === undefined ? [] : ['--files', resolve(files)];
	if (files !== undefined && !(await stat(files).catch(() => undefined))?.isDirectory())
		throw new Error(`--files takes a folder with the state's files; there is none at ${files}`);
	const preloaded = ['--import', 'tsx', '--import', './playground/stop-with-parent.mts'];
	const asked = ['florida/main.mts', '--data', data, '--port', String(port), ...folder];
	const child = execa(process.execPath, [...preloaded, ...asked], {
		...{ cwd: repository, reject: false, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' },
		// Ctrl-C in the window is for the playground, which stops n8n first.
		...{ detached: true, ipc: true },
	});
	const origin = `http://127.0.0.1:${port}`;
	let hasEnded = false;
	void child.then(() => (hasEnded = true));
	const close = async () => {
		child.kill('SIGTERM');
		await child;
	};
	const { day } = await readyStatus(origin, () => hasEnded).catch(async (error: Error) => {
		await close();
		throw error;
	});
	const apiKey = (await readFile(join(data, 'key'), 'utf8')).trim();
	return {
		...{ name: 'Licensing Data (Florida)', baseUrl: `${origin}/v1`, apiKey, close },
		onEnd: (listener) => void child.then(listener),
		beginning: {
			startFrom: daysBefore(Date.now(), 30),
			said: 'what the state dates in the last thirty days, in every county and of every type',
			// What a provider lists as a new filing is often one.
			eventTypes: ['new_filing', 'ownership_transfer'],
			// Nobody knows which of the files are there.
			filters: { onlyWithAddress: true },
		},
		about: `Florida's own files, up to ${day}. Leads are new filings, and old licenses with new owners.
             Unofficial and experimental: see docs/florida.md.
    Base URL   ${origin}/v1
    API key    ${apiKey}
    State      ${origin}/   what was read, and when`,
	};
}

/** The first files can take minutes to come. */
async function readyStatus(origin: string, hasEnded: () => boolean): Promise<Status> {
	for (;;) {
		const answer = await fetch(`${origin}/status`).catch(() => undefined);
		const status = answer?.ok ? ((await answer.json()) as Status) : undefined;
		if (status?.isReady) return status;
		const refused = status?.sources.flatMap(({ name, refused: why }) =>
			why ? `${name}: ${why.why}` : [],
		);
		if (hasEnded()) throw new Error("The service of Florida's files stopped; it says why above.");
		if (status && status.lastRefresh !== null)
			throw new Error(`None of the state's files could be read. ${refused?.join('\n') ?? ''}`);
		await sleep(500);
	}
}
