import type { IPollFunctions } from 'n8n-workflow';

import { startBudget } from '../../nodes/LicensingData/trigger/limits.ts';
import { filed, listed, ListedTrigger, publishedOn, useClock } from '../support/listed-trigger.mts';

beforeEach(() => useClock());

const SECOND = 1000;
const published = async () => await publishedOn(listed(60), {}, { budget: 60 * SECOND });

const refusal = (seconds: number, status = 429) => ({
	status,
	headers: { 'retry-after': String(seconds) },
});

/** Published, and refused by the service: nobody asks it until then. */
async function refused(seconds: number, status?: number) {
	const trigger = await published();
	trigger.answer = () => refusal(seconds, status);
	expect(await trigger.poll(0)).toEqual([]);
	trigger.answer = () => undefined;
	trigger.records.unshift(filed('new'));
	return trigger;
}

describe('After Retry-After', () => {
	it.each([
		[429, 'Too many requests for your plan (HTTP 429)'],
		[503, 'The service could not answer (HTTP 503)'],
	])('nothing is asked until then (%i)', async (status, words) => {
		const trigger = await refused(120, status);
		expect(trigger.failures).toEqual([words]);
		for (const seconds of [1, 60, 28]) {
			expect(await trigger.poll(seconds * SECOND)).toEqual([]);
			expect(trigger.asked).toEqual([]);
		}
		// Half of its time is enough to wait until then.
		expect(await trigger.poll(2 * SECOND)).toEqual(['new']);
		expect(trigger.poller.warnings).toEqual([expect.stringContaining(`asks to wait (${words})`)]);
	});

	it('of days, nothing is asked for an hour, not even by a test run', async () => {
		const trigger = await refused(3 * 24 * 3600);
		expect(await trigger.poll(3599 * SECOND)).toEqual([]);
		await expect(trigger.poller.fetchTestEvent()).rejects.toThrow('HTTP 429');
		expect(trigger.asked).toEqual([]);
		expect(await trigger.poll(SECOND)).toEqual(['new']);
	});

	it('others with the same key wait, but not with another key or address', async () => {
		const others = [await published(), await published(), await published()] as const;
		const { credentials } = (await refused(120)).poller;
		others[0].poller.credentials = credentials;
		others[2].poller.credentials = { ...credentials, baseUrl: 'https://licenses.example.org/v1' };
		for (const other of others) await other.poll(0);
		expect(others.map(({ asked }) => asked.length)).toEqual([0, 1, 1]);
	});
});

it('A rejected key shows as one failed execution, and one more each hour', async () => {
	const trigger = await published();
	trigger.answer = () => ({ status: 401 });
	for (let polls = 0; polls < 6; polls++) await trigger.poll(20 * 60 * SECOND);
	expect(trigger.failures).toEqual(Array(2).fill('The API key was not accepted'));
});

it('A poll without time for another try tells why the service did not answer', async () => {
	const trigger = new ListedTrigger([], {}, { budget: 1500 });
	trigger.answer = () => refusal(1.45, 503);
	await expect(trigger.publish()).rejects.toThrow('could not answer (HTTP 503)');
});

it('A poll goes well though n8n gives it half a millisecond', async () => {
	const trigger = await publishedOn([], {}, { budget: 9999.5 });
	expect(trigger.asked).toHaveLength(1);
});

it('A poll has 45 seconds, or less where n8n says so', () => {
	const timeFor = (context: object) => startBudget(context as IPollFunctions, true).timeLeft();
	expect(timeFor({})).toBe(45 * SECOND);
	expect(timeFor({ getPollBudgetMs: () => 10 * SECOND })).toBe(10 * SECOND);
	expect(timeFor({ getPollBudgetMs: () => 80 * SECOND })).toBe(60 * SECOND);
});
