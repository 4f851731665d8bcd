import { afterAll, expect, it, vi } from 'vitest';

/** As n8n had it before it took signals. */
vi.doMock('n8n-workflow', async (original) => ({
	...(await original<object>()),
	sleep: async (milliseconds: number) =>
		await new Promise((resolve) => setTimeout(resolve, milliseconds)),
}));
afterAll(() => {
	vi.doUnmock('n8n-workflow');
	// What was loaded with the older sleep must not reach the files that follow.
	vi.resetModules();
});

it('notices a stopped execution where the sleep of an older n8n does not', async () => {
	vi.resetModules();
	const { pause } = await import('../../nodes/LicensingData/transport/pause.ts');
	const controller = new AbortController();
	const paused = pause(20, controller.signal);
	controller.abort(new Error('Stopped'));
	await expect(paused).rejects.toThrow('Stopped');
	await expect(pause(1, new AbortController().signal)).resolves.toBeUndefined();
});
