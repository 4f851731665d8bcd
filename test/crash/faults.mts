import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWER_DELAY, type Trial, TRIGGERS } from './trial.mts';

/** What goes wrong, and when. */
export interface Fault {
	title: string;
	when: (trial: Trial) => Promise<void>;
	what: (trial: Trial) => Promise<void>;
}

const upTo = async (milliseconds: number) => await sleep(Math.random() * milliseconds);

async function until(happened: () => boolean, patience = 180_000): Promise<void> {
	const deadline = Date.now() + patience;
	while (!happened() && Date.now() < deadline) await sleep(2);
}

async function aPollBegins({ sandbox: { requests } }: Trial): Promise<void> {
	const before = requests.count;
	await until(() => requests.count > before);
	if (requests.count === before) throw new Error('Nobody polls');
}

/** Between the request of the first trigger and the answer to the last. */
async function whilePolling(trial: Trial): Promise<void> {
	await aPollBegins(trial);
	await upTo(ANSWER_DELAY * 1.5);
}

/**
 * All triggers poll at the same moment, and emit one after another: once new leads of some have reached the
 * CRM, the others are caught at every step before that, however fast the machine is.
 */
async function whileEmitting(trial: Trial): Promise<void> {
	const wanted = Math.floor(Math.random() * TRIGGERS);
	await aPollBegins(trial);
	await sleep(ANSWER_DELAY);
	const { book } = trial.crm;
	const { length } = book.leads;
	const done = () => new Set(book.leads.slice(length).map(({ sentBy }) => sentBy));
	// Some may have nothing to emit: then the moment comes a little later.
	await until(() => done().size >= wanted, 5000);
	await upTo(200);
}

async function whileExecuting({ crm: { book } }: Trial): Promise<void> {
	await once(book, 'lead', { signal: AbortSignal.timeout(60_000) });
	await upTo(200);
}

const killMain = async ({ queue }: Trial) => await queue.process('main').kill();
const stopMain = async ({ queue }: Trial) => await queue.process('main').stop();
const killWorker = async ({ queue }: Trial) =>
	await queue.process(Math.random() < 0.5 ? 'worker-1' : 'worker-2').kill();
const killServer = (name: 'postgres' | 'redis') => async (trial: Trial) => {
	await trial.queue.services?.[name].daemon.end('SIGKILL');
	await upTo(2000);
};
/** From before the answers come until the batches are over: n8n gives up on a write to SQLite after a second. */
const stopWrites = async ({ database }: Trial) =>
	await database.stopWrites(async () => {
		await sleep(ANSWER_DELAY);
		await upTo(5000);
	});

export const faults: Fault[] = [
	{ title: 'n8n killed while polling', when: whilePolling, what: killMain },
	{ title: 'n8n killed while emitting', when: whileEmitting, what: killMain },
	{ title: 'n8n stopped while polling', when: whilePolling, what: stopMain },
	{ title: 'n8n stopped while emitting', when: whileEmitting, what: stopMain },
	{ title: 'Database refuses writes while emitting', when: aPollBegins, what: stopWrites },
];

export const queueFaults: Fault[] = [
	...faults,
	{ title: 'Worker killed while executing', when: whileExecuting, what: killWorker },
	{ title: 'Redis killed and restarted', when: whileEmitting, what: killServer('redis') },
	{ title: 'PostgreSQL killed and restarted', when: whileEmitting, what: killServer('postgres') },
];
