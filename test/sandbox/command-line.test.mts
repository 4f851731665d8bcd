import { fileURLToPath } from 'node:url';

import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';

import { nameOf, optionsFrom, usage } from '../../sandbox/command-line.mts';
import { registerShapes, type LicensePage } from '../../sandbox/index.mts';

const program = fileURLToPath(new URL('../../sandbox/main.mts', import.meta.url));

describe('npm run sandbox', () => {
	it('prints its address, two keys and a curl line that works, and stops cleanly', async () => {
		const options = ['--port', '0', '--records', '100'];
		const child = execa(process.execPath, ['--import', 'tsx', program, ...options], { all: true });
		onTestFinished(() => void child.kill('SIGKILL'));
		let printed = '';
		child.all.on('data', (chunk: Buffer) => (printed += chunk.toString()));
		const output = () => printed;
		await expect.poll(output).toContain('Ctrl+C stops it.');
		expect(output()).toMatch(/answers at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
		expect(output()).toMatch(/ls_test_\w+/);
		expect(output()).toMatch(/ls_live_\w+/);
		const [, header, url] = /curl -H 'Authorization: (.+)' '(.+)'/.exec(output()) ?? [];
		const response = await fetch(url!, { headers: { Authorization: header! } });
		const { data } = (await response.json()) as LicensePage;
		expect(data).toHaveLength(2);
		child.kill('SIGINT');
		expect((await child).exitCode).toBe(0);
	});

	it.each([
		[
			['--rate-limits', 'gold'],
			'--rate-limits takes one of off, plan60, plan120, plan600, plan3000',
		],
		[['--records', 'many'], '--records takes a whole number from 0 to 10000000'],
		[['--colour'], "Unknown option '--colour'"],
		[['--day=-1'], '--day takes a number from 0 up'],
		[['--start', 'yesterday'], '--start takes a date'],
	])('says what is wrong with %j', (args, message) => {
		expect(() => optionsFrom(args)).toThrow(message);
	});

	it('serves all of Florida, a day a minute, unless asked for less', () => {
		expect(optionsFrom([])).toMatchObject({ records: 108_000, dayTakes: 60_000 });
		const still = optionsFrom(['--day', '0', '--start', '2026-01-31', '--records', '500']);
		expect(still).toMatchObject({ records: 500, start: Date.parse('2026-01-31') });
		expect(still).not.toHaveProperty('dayTakes');
	});

	it('explains every option that it takes', () => {
		const explained = [...usage.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name!);
		const switches = ['help', 'webhooks', 'holes'];
		for (const name of explained.filter((one) => !switches.includes(one)))
			expect(() => optionsFrom([`--${name}`])).toThrow(`'--${name} <value>' argument missing`);
		for (const question of registerShapes) expect(explained).toContain(nameOf(question));
		expect(optionsFrom(['--help'])).toBe('help');
		expect(optionsFrom(['--webhooks'])).toMatchObject({ webhooks: true });
	});
});
