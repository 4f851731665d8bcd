import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { choosePorts, readOptions } from '../../../playground/options.mts';

describe('the options of npm start', () => {
	it('have defaults', () => {
		expect(readOptions([])).toMatchObject({ fresh: false, day: 60, port: undefined });
	});

	it('name the option that has an unusable value', () => {
		expect(() => readOptions(['--day', 'fast'])).toThrow('--day takes a number above 0');
		expect(() => readOptions(['--port', '-1'])).toThrow('--port');
		expect(() => readOptions(['--speed', '3'])).toThrow('--speed');
	});
});

describe('the ports', () => {
	let busy: Server | undefined;
	afterEach(() => busy?.close());

	it('are three neighbors', async () => {
		const { editor, crm, sandbox } = await choosePorts();
		expect([crm, sandbox]).toEqual([editor + 1, editor + 2]);
	});

	it.each([65_534, 70_000, 5678.5])(
		'are refused with words when there is no such port: %s',
		async (port) => {
			await expect(choosePorts(port)).rejects.toThrow('--port takes a whole number up to 65533');
		},
	);

	it('are refused with words when one that was asked for is in use', async () => {
		busy = createServer().listen(0, '127.0.0.1');
		await once(busy, 'listening');
		const { port } = busy.address() as { port: number };
		await expect(choosePorts(port - 2)).rejects.toThrow('in use; choose another --port');
	});
});
