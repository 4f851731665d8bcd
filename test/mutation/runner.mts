import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import nock from 'nock';
import { inject, TestRunner, vi, type RunnerTestCase as TestCase } from 'vitest';

import { idsIn, readPlan, type Entered } from './results.mts';

declare module 'vitest' {
	interface ProvidedContext {
		folder: string;
	}
}

/** What Stryker's instrumented code looks at: each mutant is in it, and does nothing until it is the active one. */
interface Switch {
	activeMutant?: string;
	currentTestId?: string;
	mutantCoverage?: {
		static: Record<string, number>;
		perTest: Record<string, Record<string, number>>;
	};
}

const MOST_CHECKS = 5;
/** Where what further runs of a test enter is counted. Without any, it counts as entered while modules load. */
const AGAIN = 'again';

// Tests put their own clock in the place of these.
const startTimer = setTimeout;
const now = performance.now.bind(performance);
const mutants: Switch = ((globalThis as { __stryker__?: Switch }).__stryker__ ??= {});

let active: string | undefined;
let reads = 0;
let mostReads = Infinity;
// Read wherever there is a mutant, so it can end a loop that would not end by itself.
Object.defineProperty(mutants, 'activeMutant', {
	get: () => {
		if (++reads > mostReads) throw new Error('This would never end');
		return active;
	},
});

/**
 * Runs each test as it is, and again with each living mutant of the plan, until some test has failed for it. Then it
 * must pass without a mutant: a try that hangs goes on in the background, and a wrong answer may have been kept. If it
 * does not, it goes on in a new process.
 */
export default class MutationRunner extends TestRunner {
	private readonly folder = inject('folder');
	private readonly plan = readPlan(this.folder);
	private readonly done = idsIn(this.folder, 'done');
	private readonly entered: Entered[] = [];
	private reads = 0;
	private waiting: string[] = [];
	/** The mutant with which the test has failed. */
	private suspect = '';
	private began = 0;
	private took = 0;
	private checks = 0;
	private isFirst = true;
	private isLeftOut = false;
	/** By a mutant: what follows in this process shows nothing. */
	private isSpoiled = false;

	onBeforeRunFiles(): void {
		this.isSpoiled = false;
	}

	override onBeforeRunTask(test: TestCase): Promise<void> {
		// Tries go on until this runner says that one has passed.
		test.retry = Number.MAX_SAFE_INTEGER;
		this.isFirst = true;
		this.isLeftOut = this.isSpoiled || this.done.has(test.id);
		return super.onBeforeRunTask(test);
	}

	override onBeforeTryTask(test: TestCase): void {
		this.began = now();
		mutants.currentTestId = this.isFirst ? test.id : AGAIN;
		reads = 0;
		mostReads = this.isFirst ? Infinity : this.reads * 10 + 100_000;
		super.onBeforeTryTask(test);
	}

	async runTask(test: TestCase): Promise<void> {
		if (this.isLeftOut) return;
		const run = TestRunner.getTestFn(test)();
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			const limit = this.isFirst ? 600_000 : this.took * 4 + 1_000;
			timer = startTimer(() => reject(new Error('hangs')), limit);
		});
		await Promise.race([run, late]).finally(() => clearTimeout(timer));
	}

	/** The last hook of a try. */
	async onAfterRetryTask(test: TestCase): Promise<void> {
		const { result } = test;
		if (!result) return;
		const hasFailed = result.state === 'fail';
		const message = result.errors?.[0]?.message ?? '';
		const goesOn = !this.isLeftOut && (await this.goesOn(test, hasFailed, message));
		if (!goesOn && !this.isLeftOut && !this.isSpoiled) this.write('done', test.id);
		result.state = goesOn ? 'fail' : 'pass';
		result.errors = goesOn ? [{ message: 'next' }] : [];
	}

	private async goesOn(test: TestCase, hasFailed: boolean, message: string): Promise<boolean> {
		const tried = active;
		active = undefined;
		mostReads = Infinity;
		mutants.currentTestId = AGAIN;
		if (this.isFirst) {
			this.isFirst = false;
			this.took = now() - this.began;
			this.reads = reads;
			if (hasFailed)
				this.write(
					'doubts',
					`Fails without a mutant (${this.plan ? 'second' : 'first'} run): ${test.name}: ${message}`,
				);
			if (hasFailed) return false;
			this.entered.push({
				id: test.id,
				file: test.file.name,
				hits: mutants.mutantCoverage?.perTest[test.id] ?? {},
			});
			const killed = idsIn(this.folder, 'killed');
			this.waiting = (this.plan?.[test.id] ?? []).filter((id) => !killed.has(id));
		} else if (tried) {
			if (hasFailed) {
				this.suspect = tried;
				this.checks = 0;
				vi.useRealTimers();
				vi.restoreAllMocks();
				nock.abortPendingRequests();
				nock.cleanAll();
				return true;
			}
		} else if (hasFailed) {
			if (this.checks++ < MOST_CHECKS) {
				await new Promise((done) => startTimer(done, 200));
				return true;
			}
			this.isSpoiled = true;
			this.write('killed', this.suspect);
			return false;
		} else {
			this.write('killed', this.suspect);
		}
		active = this.waiting.shift();
		return active !== undefined;
	}

	override onAfterRunFiles(): void {
		if (!this.plan) {
			// What has run before the first test of a file, and in no test.
			for (const id of Object.keys(mutants.mutantCoverage?.static ?? {})) this.write('loaded', id);
			for (const one of this.entered) this.write('entered', JSON.stringify(one));
		}
		super.onAfterRunFiles();
	}

	private write(name: string, line: string): void {
		appendFileSync(join(this.folder, `${name}.txt`), `${line}\n`);
	}
}
