import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSandbox } from '../sandbox/index.mts';
import { N8nClient } from './client.mts';
import { leadLine } from './crm/line.mts';
import { startCrm } from './crm/server.mts';
import { dataFolder, queueFolder, workspace } from './folders.mts';
import { type Host, installHost } from './host.mts';
import { openEmptyWorkflow } from './empty-workflow.mts';
import { runLeadWorkflow, tableWorkflowFile } from './lead-workflow.mts';
import { takeLock } from './lock.mts';
import { installPackage, type N8n, startN8n } from './n8n.mts';
import { type Options, readOptions, usage } from './options.mts';
import { packPackage } from './package.mts';
import { choosePorts } from './ports.mts';
import { step } from './progress.mts';
import { forgetPostgres } from './queue-services.mts';
import { Queue } from './queue.mts';
import { secretsOf } from './secrets.mts';

const WEEK = 7 * 86_400_000;

/**
 * A small register: the trigger reads a list in full once in as many minutes as it has pages, and here each minute
 * lists more.
 */
const REGISTER = { records: 8_000, rates: { liquorADay: 8, foodADay: 2, groceries: 20 } };

/** What to undo when the playground ends, last thing first. */
const cleanups: Array<() => Promise<void>> = [];
let ending = false;

async function end(code: number): Promise<never> {
	// Someone who asks a second time does not want to wait.
	if (!ending) {
		ending = true;
		for (const cleanup of cleanups.reverse()) await cleanup();
	}
	process.exit(code);
}

async function main(options: Options): Promise<void> {
	const release = await takeLock(join(workspace, 'data.lock'));
	if (!release) {
		throw new Error(
			'The playground is running already. Stop it with Ctrl-C before starting another.',
		);
	}
	cleanups.push(release);

	const ports = await choosePorts(options.port);
	const host = await installHost();
	const tarball = await packPackage();
	const folder = options.queue ? queueFolder : dataFolder;
	if (options.fresh) {
		await rm(folder, { recursive: true, force: true });
		await forgetPostgres(folder);
	}
	await installPackage(folder, tarball);

	const sandbox = await createSandbox({
		port: ports.sandbox,
		...REGISTER,
		listEvery: options.day * 1000,
		stateFile: join(folder, 'register.json'),
	});
	cleanups.push(async () => await sandbox.close());
	const { register } = sandbox;
	const crm = await startCrm({ port: ports.crm, file: join(folder, 'leads.jsonl'), register });
	cleanups.push(async () => await crm.close());
	crm.book.on('lead', (lead) => console.log(leadLine(lead)));

	const n8n = await step(
		'Starting n8n',
		async () => await start(host, folder, ports.editor, options),
	);
	cleanups.push(async () => await n8n.stop());
	void n8n.ended.then(async () => {
		if (ending) return;
		console.error(`n8n has ended on its own; its log: ${join(folder, 'n8n.log')}`);
		await end(1);
	});

	const email = 'you@playground.example';
	const { owner: password } = await secretsOf(folder);
	const client = await N8nClient.signIn(n8n.address, {
		email,
		password,
		firstName: 'You',
		lastName: 'Yourself',
	}).catch((error: Error) => {
		throw new Error(
			`${error.message}\nIf n8n does not know the password in ${folder}/secrets.json, begin anew: npm start -- --fresh`,
		);
	});
	const credential = await client.saveCredential('Licensing Data (Sandbox)', 'licensingDataApi', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	// The first leads come at once: those of the last week.
	const startFrom = new Date(Date.parse(register.day) - WEEK).toISOString();
	const add = async (file?: string) =>
		await runLeadWorkflow(client, credential, crm.leadsAddress, startFrom, file);
	const table = await add(tableWorkflowFile);
	const leads = await add();
	const own = await openEmptyWorkflow(client, crm.leadsAddress);
	// More comes with the trigger's next look, within a minute.
	register.advance();

	console.log(`
  Table      ${n8n.address}/workflow/${table.id}
               writes leads into n8n's own table: ${n8n.address}/home/datatables
  Leads      ${crm.address}
               sent by ${n8n.address}/workflow/${leads.id}
  Your own   ${n8n.address}/workflow/${own.id}
               sends leads to ${crm.leadsAddress} (POST, JSON), as your other workflows may
  Sign in    ${email}  ${password}

  Service    a made-up register up to today, which lists a day's worth more every ${options.day} seconds
             n8n has a credential for it already
    Base URL   ${sandbox.baseUrl}
    Live key   ${sandbox.keys.live}   new licenses every ${options.day} seconds: use it for triggers
    Test key   ${sandbox.keys.test}   the same 500 licenses on every call

  Try next: open "Your own", press + and look for Licensing Data.
  The trigger looks once a minute; leads appear here and on the page. Some minutes bring none. Ctrl-C stops everything.
`);
}

async function start(
	host: Host,
	folder: string,
	port: number,
	options: Options,
): Promise<Pick<N8n, 'address' | 'ended' | 'stop'>> {
	if (!options.queue) return await startN8n({ host, folder, port });
	const queue = await Queue.start({ host, folder, port });
	const { address, ended } = queue.main;
	return { address, ended, stop: async () => await queue.stop() };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => {
		if (!ending) console.log('\nStopping …');
		void end(0);
	});
}

try {
	const options = readOptions(process.argv.slice(2));
	if (options === 'help') console.log(usage);
	else await main(options);
} catch (error) {
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	await end(1);
}
