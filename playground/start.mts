import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { N8nClient } from './client.mts';
import { leadLine } from './crm/leads.mts';
import { startCrm } from './crm/server.mts';
import { workspace } from './folders.mts';
import { installHost } from './host.mts';
import { installPackage, startN8n } from './n8n.mts';
import { readOptions, usage } from './options.mts';
import { packPackage } from './package.mts';
import { choosePorts } from './ports.mts';
import { startFlorida, startSandbox } from './sandbox-or-florida.mts';
import { secretsOf } from './secrets.mts';
import { step, takeLock } from './steps.mts';
import { welcome } from './welcome.mts';
import { openEmptyWorkflow, runLeadWorkflow, tableWorkflowFile } from './workflows.mts';

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

async function main(options: Exclude<ReturnType<typeof readOptions>, 'help'>): Promise<void> {
	const release = await takeLock(join(workspace, 'data.lock'));
	if (!release) throw new Error('The playground is already running. Stop it with Ctrl-C first.');
	cleanups.push(release);

	const { fresh, day, florida, files } = options;
	const ports = await choosePorts(options.port);
	const host = await installHost();
	const tarball = await packPackage();
	/** What is kept between runs: n8n's database, the leads, the logs. */
	const folder = join(workspace, florida ? 'data-florida' : 'data');
	if (fresh) await rm(folder, { recursive: true, force: true });
	await installPackage(folder, tarball);

	const service = florida
		? await startFlorida(ports.service, files)
		: await startSandbox(ports.service, folder, day);
	cleanups.push(async () => void (await service.close()));
	const { register, baseUrl, apiKey, beginning, about } = service;
	const crm = await startCrm({
		port: ports.crm,
		file: join(folder, 'leads.jsonl'),
		...(register && { register }),
	});
	cleanups.push(crm.close);
	const { length: before } = crm.book.leads;

	const n8n = await step(
		'Starting n8n',
		async () => await startN8n({ host, folder, port: ports.editor }),
	);
	cleanups.push(n8n.stop);
	const endWith = async (reason: string) => {
		if (ending) return;
		console.error(reason);
		await end(1);
	};
	void n8n.ended.then(
		async () => await endWith(`n8n stopped on its own; its log: ${join(folder, 'n8n.log')}`),
	);
	service.onEnd?.(() => void endWith("The service of Florida's files stopped on its own."));

	const { client, email, password } = await signIn(n8n.address, folder);
	const access = { baseUrl, apiKey };
	const credential = await client.saveCredential(service.name, 'licensingDataApi', access);
	const add = async (file?: string) =>
		await runLeadWorkflow(client, credential, crm.leadsAddress, beginning, file);
	const [table, leads, own] = await step('Publishing the workflows', async () => [
		await add(tableWorkflowFile),
		await add(),
		await openEmptyWorkflow(client, crm.leadsAddress),
	]);
	// Not during a step, whose line they would break.
	for (const lead of crm.book.leads.slice(before)) console.log(leadLine(lead));
	crm.book.on('lead', (lead) => console.log(leadLine(lead)));
	// More comes with the trigger's next look, within a minute.
	register?.advance();

	console.log(
		welcome({
			...{ n8n: n8n.address, page: crm.address, leadsAddress: crm.leadsAddress },
			...{ table: table!, leads: leads!, own: own! },
			...{ email, password, about, isMadeUp: !florida },
		}),
	);
}

async function signIn(address: string, folder: string) {
	const email = 'you@playground.example';
	const { owner: password } = await secretsOf(folder);
	const owner = { email, password, firstName: 'You', lastName: 'Yourself' };
	const client = await N8nClient.signIn(address, owner).catch((error: Error) => {
		throw new Error(
			`${error.message}\nIf n8n does not know the password in ${folder}/secrets.json, start over: npm start -- --fresh`,
		);
	});
	return { client, email, password };
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
