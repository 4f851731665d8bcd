import { fileURLToPath } from 'node:url';

import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';

import { nameOf, optionsFrom, usage } from '../../sandbox/command-line.mts';
import type { LicensePage } from '../../sandbox/index.mts';
import { questions } from '../../sandbox/shapes.mts';

const program = fileURLToPath(new URL('../../sandbox/main.mts', import.meta.url));

describe('npm run sandbox', () => {
	it('prints its address, two keys and a curl line that works, and stops cleanly', async () => {
		const options = ['--port', '0', '--records', '100'];
		const child = execa(process.execPath, ['--import', 'tsx', program, ...options], { all: true });
		onTestFinished(() => void child.kill('SIGKILL'));
		let printed = '';
		child.all.on('data', (chunk: Buffer) => (printed += chunk.toString()));
		await expect.poll(() => printed).toContain('Ctrl+C stops it.');
		expect(printed).toMatch(/answers at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
		for (const key of [/ls_test_\w+/, /ls_live_\w+/]) expect(printed).toMatch(key);
		const [, header, url] = /curl -H 'Authorization: (.+)' '(.+)'/.exec(printed) ?? [];
		const response = await fetch(url!, { headers: { Authorization: header! } });
		const { data } = (await response.json()) as LicensePage;
		expect(data).toHaveLength(2);
		child.kill('SIGINT');
		expect((await child).exitCode).toBe(0);
	});

	it.each([
		[['--rate-limits', 'gold'], '--rate-limits takes one of plan3000, plan600, plan120, plan60, '],
		[['--records', 'many'], '--records takes a whole number from 0 to 10000000'],
		[['--colour'], "Unknown option '--colour'"],
		[['--today', 'yesterday'], '--today takes a date'],
	])('says what is wrong with %j', (args, message) => {
		expect(() => optionsFrom(args)).toThrow(message);
	});

	it('serves all of Florida up to today, and more each minute, unless asked for less', () => {
		const today = new Date().toISOString().slice(0, 10);
		expect(optionsFrom([])).toMatchObject({ records: 108_000, listEvery: 60_000, today });
		const still = optionsFrom(['--list-every', '0', '--today', '2026-01-31', '--records', '500']);
		expect(still).toMatchObject({ records: 500, today: '2026-01-31' });
		expect(still).not.toHaveProperty('listEvery');
	});

	it('explains every option that it takes', () => {
		const explained = [...usage.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name!);
		const switches = ['help', 'webhooks'];
		for (const name of explained.filter((one) => !switches.includes(one)))
			expect(() => optionsFrom([`--${name}`])).toThrow(`'--${name} <value>' argument missing`);
		for (const question of questions) expect(explained).toContain(nameOf(question));
		expect(optionsFrom(['--help'])).toBe('help');
		expect(optionsFrom(['--webhooks'])).toMatchObject({ webhooks: true });
	});
});
