import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface DaemonOptions {
	name: string;
	command: string;
	args: string[];
	log: string;
	/** Another user to run as, for a program that refuses to be root. */
	user?: { uid: number; gid: number };
	/** How it is asked to stop. */
	stopSignal?: NodeJS.Signals;
	isReady: () => Promise<boolean>;
}

/** A server of somebody else's that runs beside n8n, and can be killed and started again. */
export class Daemon {
	private child: ChildProcess | undefined;

	constructor(private readonly options: DaemonOptions) {}

	get isRunning(): boolean {
		return this.child !== undefined && this.child.exitCode === null && !this.child.signalCode;
	}

	async start(): Promise<void> {
		const { name, log, isReady } = this.options;
		const deadline = Date.now() + 60_000;
		do {
			// After a kill, what it left behind may refuse the first tries.
			if (!this.isRunning) await this.spawn();
			if (await isReady()) return;
			await sleep(100);
		} while (Date.now() < deadline);
		await this.stop();
		throw new Error(`${name} did not start; its log: ${log}`);
	}

	async stop(): Promise<void> {
		await this.end(this.options.stopSignal ?? 'SIGTERM');
	}

	/** As when the power fails. */
	async kill(): Promise<void> {
		await this.end('SIGKILL');
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		if (!this.child || !this.isRunning) return;
		const ended = once(this.child, 'exit');
		this.child.kill(signal);
		await ended;
	}

	private async spawn(): Promise<void> {
		const { command, args, log, user } = this.options;
		await mkdir(dirname(log), { recursive: true });
		const file = await open(log, 'a');
		this.child = spawn(command, args, {
			cwd: '/',
			stdio: ['ignore', file.fd, file.fd],
			// Ctrl-C in the terminal is for the playground, which stops this one last.
			detached: true,
			...user,
		});
		await file.close();
		// However the playground ends, nothing that it started stays behind.
		const child = this.child;
		process.once('exit', () => child.kill(this.options.stopSignal ?? 'SIGTERM'));
	}
}
