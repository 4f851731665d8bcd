import { ExecuteContext } from 'n8n-core';
import { expect, it, onTestFinished, vi } from 'vitest';

import { answerPages, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

it('While a run waits for a rate limit, it says so in the console of the editor, and in the log with its workflow and node', async () => {
	const log: string[] = [];
	const note = (line: string) => void log.push(line);
	const value = { info: note, warn: note, debug: note, error: note };
	Object.defineProperty(ExecuteContext.prototype, 'logger', { configurable: true, value });
	onTestFinished(() => {
		Reflect.deleteProperty(ExecuteContext.prototype, 'logger');
		vi.restoreAllMocks();
	});
	skipWaits();
	const refusal = { error: { type: 'rate_limited', message: 'Slow down' } };
	answerPages([429, refusal, { 'retry-after': '3' }], page(licenses(1)));
	const ran = await runLicense({ operation: 'getAll' });
	expect(ran.items).toHaveLength(1);
	const said = /rate limit is reached, and the service asks to wait 3 seconds/;
	expect(ran.console).toEqual([expect.stringMatching(said)]);
	expect(ran.hints).toEqual([expect.stringMatching(said)]);
	expect(log).toEqual([expect.stringMatching(said)]);
	expect(log[0]).toMatch(/^Workflow "Leads", node "Licensing Data": /);
});
