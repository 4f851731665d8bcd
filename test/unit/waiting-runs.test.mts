import { ExecuteContext } from 'n8n-core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { answerPages, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

const log: string[] = [];

beforeEach(() => {
	const info = (line: string) => void log.push(line);
	Object.defineProperty(ExecuteContext.prototype, 'logger', {
		configurable: true,
		value: { info, warn: info, debug: info, error: info },
	});
	skipWaits();
});
afterEach(() => {
	Reflect.deleteProperty(ExecuteContext.prototype, 'logger');
	log.length = 0;
	vi.restoreAllMocks();
});

/** Runs into a limit that is over after three seconds. */
async function runIntoLimit() {
	const refusal = { error: { type: 'rate_limited', message: 'Slow down' } };
	answerPages([429, refusal, { 'retry-after': '3' }], page(licenses(1)));
	return await runLicense({ operation: 'getAll' });
}

const SAID = /rate limit is reached, and the service asks to wait 3 seconds/;

it('While a run waits for a rate limit, it says so in the console of the editor', async () => {
	const ran = await runIntoLimit();
	expect(ran.items).toHaveLength(1);
	expect(ran.console).toEqual([expect.stringMatching(SAID)]);
	expect(ran.hints).toEqual([expect.stringMatching(SAID)]);
});

it('Whatever a run writes into the log names its workflow and its node', async () => {
	await runIntoLimit();
	const where = 'Workflow "Leads", node "Licensing Data": ';
	expect(log).toEqual([expect.stringMatching(SAID)]);
	expect(log[0]?.startsWith(where)).toBe(true);
});
