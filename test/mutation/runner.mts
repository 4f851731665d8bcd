import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import nock from 'nock';
import { inject, TestRunner, vi, type RunnerTestCase as TestCase } from 'vitest';

declare module 'vitest' {
	interface ProvidedContext {
		folder: string;
	}
}

/** What Stryker's instrumented code looks at: each mutant is in it, and does nothing until it is the active one. */
interface Switch {
	activeMutant?: string;
	currentTestId?: string;
	hitCount?: number;
	hitLimit?: number;
	mutantCoverage?: {
		static: Record<string, number>;
		perTest: Record<string, Record<string, number>>;
	};
}

/** A test that takes longer, in ms, is not worth a run for each mutant. */
const SLOW = 700;
/** For a mutant that survives: tests that take longer, in one file or in all, would hardly notice it either. */
const ENOUGH = { inFile: 400, inAll: 2_000 };
const MOST_CHECKS = 5;
/** Where what further runs of a test enter is counted. Without any, it counts as entered while modules load. */
const AGAIN = 'again';

const startTimer = setTimeout;
const mutants: Switch = ((globalThis as { __stryker__?: Switch }).__stryker__ ??= {});
const spent = new Map<string, number>();

/** Mutants that a test has killed, or that enough tests have not. */
function finished(folder: string): Set<string> {
	const sums = new Map<string, number>();
	for (const line of readFileSync(join(folder, 'spent.txt'), 'utf8').split('\n')) {
		const [id = '', took] = line.split('\t');
		sums.set(id, (sums.get(id) ?? 0) + Number(took));
	}
	const long = [...sums].filter(([, sum]) => sum >= ENOUGH.inAll).map(([id]) => id);
	const killed = readFileSync(join(folder, 'killed.txt'), 'utf8').split('\n');
	return new Set([...long, ...killed.map((line) => line.split('\t')[0] ?? '')]);
}

/**
 * Runs each test as it is, and again with each living mutant that it enters, until some test has failed for it.
 * A try that hangs goes on in the background, so the test must pass without a mutant before the next one.
 */
export default class MutationRunner extends TestRunner {
	private readonly folder = inject('folder');
	private hits: Record<string, number> = {};
	private waiting: string[] = [];
	private killed: string[] = [];
	private began = 0;
	private took = 0;
	private checks = 0;
	private isFirst = true;

	override onBeforeRunTask(test: TestCase): Promise<void> {
		// Tries go on until this runner says that one has passed.
		test.retry = Number.MAX_SAFE_INTEGER;
		this.killed = [];
		this.checks = 0;
		this.isFirst = true;
		return super.onBeforeRunTask(test);
	}

	override onBeforeTryTask(test: TestCase): void {
		this.began = performance.now();
		mutants.currentTestId = this.isFirst ? test.id : AGAIN;
		mutants.hitCount = 0;
		mutants.hitLimit = (this.hits[mutants.activeMutant ?? ''] ?? 0) * 100 + 1_000;
		super.onBeforeTryTask(test);
	}

	async runTask(test: TestCase): Promise<void> {
		const run = TestRunner.getTestFn(test)();
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			const limit = this.isFirst ? 60_000 : this.took * 4 + 200;
			timer = startTimer(() => reject(new Error('hangs')), limit);
		});
		await Promise.race([run, late]).finally(() => clearTimeout(timer));
	}

	/** The last hook of a try. */
	async onAfterRetryTask(test: TestCase): Promise<void> {
		const { result } = test;
		if (!result) return;
		const hasFailed = result.state === 'fail';
		const goesOn = await this.goesOn(test, hasFailed, result.errors?.[0]?.message ?? '');
		result.state = goesOn ? 'fail' : 'pass';
		result.errors = goesOn ? [{ message: 'next' }] : [];
	}

	private async goesOn(test: TestCase, hasFailed: boolean, message: string): Promise<boolean> {
		const took = performance.now() - this.began;
		const active = mutants.activeMutant;
		mutants.activeMutant = undefined;
		mutants.currentTestId = AGAIN;
		if (this.isFirst) {
			this.isFirst = false;
			this.took = took;
			this.hits = mutants.mutantCoverage?.perTest[test.id] ?? {};
			if (hasFailed) this.write('doubts', [`fails by itself: ${test.name}`], message);
			if (hasFailed || took > SLOW) return false;
			const isFinished = finished(this.folder);
			this.waiting = Object.keys(this.hits).filter(
				(id) => !isFinished.has(id) && (spent.get(id) ?? 0) < ENOUGH.inFile,
			);
		} else if (active) {
			spent.set(active, (spent.get(active) ?? 0) + took);
			if (hasFailed) {
				this.killed.push(active);
				vi.useRealTimers();
				vi.restoreAllMocks();
				nock.abortPendingRequests();
				nock.cleanAll();
			}
			if (hasFailed && message === 'hangs') {
				this.checks = 1;
				return true;
			}
		} else if (hasFailed) {
			if (this.checks++ < MOST_CHECKS) {
				await new Promise((done) => startTimer(done, 200));
				return true;
			}
			this.write('doubts', [
				`does not pass after its mutants, which count as unnoticed: ${test.name}`,
			]);
			return false;
		} else if (this.checks > 0) {
			this.checks = 0;
			this.write('killed', this.killed, `${test.file.name} > ${test.name}`);
			this.killed = [];
		}
		const next = this.waiting.shift();
		if (next === undefined) {
			if (this.killed.length === 0) return false;
			this.checks = 1;
			return true;
		}
		mutants.activeMutant = next;
		return true;
	}

	/** What has run before the first test of a file, and in no test. */
	override onAfterRunFiles(): void {
		const { static: atLoad = {}, perTest = {} } = mutants.mutantCoverage ?? {};
		const inTests = new Set(Object.values(perTest).flatMap(Object.keys));
		this.write('loaded', Object.keys(atLoad));
		this.write('entered', [...inTests]);
		for (const [id, took] of spent) this.write('spent', [id], `${Math.round(took)}`);
		super.onAfterRunFiles();
	}

	private write(name: string, ids: string[], more = ''): void {
		appendFileSync(join(this.folder, `${name}.txt`), ids.map((id) => `${id}\t${more}\n`).join(''));
	}
}
