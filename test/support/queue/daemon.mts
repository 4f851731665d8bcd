import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

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

/** Someone else's server that runs next to n8n, and can be killed and started again. */
export class Daemon {
	private child: ChildProcess | undefined;

	constructor(private readonly options: DaemonOptions) {
		// However the tests end, nothing that it started is left running.
		process.once('exit', () => this.child?.kill(this.stopSignal));
	}

	get isRunning(): boolean {
		return this.child !== undefined && this.child.exitCode === null && !this.child.signalCode;
	}

	private get stopSignal(): NodeJS.Signals {
		return this.options.stopSignal ?? 'SIGTERM';
	}

	async start(): Promise<void> {
		const { name, log, isReady } = this.options;
		await this.endLeftover();
		const deadline = Date.now() + 60_000;
		do {
			// After a kill, what it left behind may make the first tries fail.
			if (!this.isRunning) await this.spawn();
			if (await isReady()) return;
			await sleep(100);
		} while (Date.now() < deadline);
		await this.stop();
		throw new Error(`${name} did not start; its log: ${log}`);
	}

	async stop(): Promise<void> {
		await this.end(this.stopSignal);
	}

	/** As in a power failure. */
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
		// Not with execa, which would carry the log through this process, and it may end first.
		this.child = spawn(command, args, {
			cwd: '/',
			stdio: ['ignore', file.fd, file.fd],
			// Ctrl-C in the terminal is for the tests, which stop this one last.
			detached: true,
			...user,
		});
		await file.close();
		await writeFile(this.pidFile, String(this.child.pid));
	}

	/** Not next to the log: it is still needed after that folder has been removed for a fresh start. */
	private get pidFile(): string {
		const name = createHash('sha256').update(this.options.log).digest('hex').slice(0, 12);
		return join(tmpdir(), `licensing-data-tests-${name}.pid`);
	}

	/** A run that was killed could not stop it, and two of them would ruin their shared data. */
	private async endLeftover(): Promise<void> {
		const pid = Number(await readFile(this.pidFile, 'utf8').catch(() => ''));
		if (!pid || this.isRunning) return;
		const { command, args } = this.options;
		const isOurs = async () =>
			await execa('ps', ['-p', String(pid), '-o', 'args='])
				.then(({ stdout }) => stdout.includes(command) || args.some((arg) => stdout.includes(arg)))
				.catch(() => false);
		if (await isOurs()) process.kill(pid, this.stopSignal);
		while (await isOurs()) await sleep(100);
	}
}
