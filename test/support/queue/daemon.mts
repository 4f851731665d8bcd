import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

interface DaemonOptions {
	command: string;
	args: string[];
	env: NodeJS.ProcessEnv;
	log: string;
	/** Another user to run as, for a program that refuses to be root. */
	user?: { uid: number; gid: number };
	stopSignal: NodeJS.Signals;
	isReady: () => Promise<boolean>;
}

/** Someone else's server that runs next to n8n, and can be killed and started again. */
export class Daemon {
	private child: ChildProcess | undefined;

	constructor(private readonly options: DaemonOptions) {
		// A test that fails leaves nothing running.
		process.once('exit', () => this.child?.kill(options.stopSignal));
	}

	/** Does nothing if it is running. */
	async start(): Promise<void> {
		if (this.isRunning) return;
		const deadline = Date.now() + 60_000;
		do {
			// After a kill, what it left behind may make the first tries fail.
			if (!this.isRunning) await this.spawn();
			if (await this.options.isReady()) return;
			await sleep(100);
		} while (Date.now() < deadline);
		throw new Error(`${this.options.command} did not start; its log: ${this.options.log}`);
	}

	/** Asks it to stop; with SIGKILL, it ends as in a power failure. */
	async end(signal = this.options.stopSignal): Promise<void> {
		if (!this.child || !this.isRunning) return;
		const ended = once(this.child, 'exit');
		this.child.kill(signal);
		await ended;
	}

	private get isRunning(): boolean {
		return this.child !== undefined && this.child.exitCode === null && !this.child.signalCode;
	}

	private async spawn(): Promise<void> {
		const { command, args, env, log, user } = this.options;
		const file = await open(log, 'a');
		// Not with execa, which would carry the log through this process, and it may end first.
		this.child = spawn(command, args, {
			...{ cwd: '/', env, ...user },
			stdio: ['ignore', file.fd, file.fd],
		});
		await file.close();
	}
}
