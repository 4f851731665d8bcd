import { afterAll, describe, expect, it, vi } from 'vitest';

describe('a host whose sleep takes no signal', () => {
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

	it('stops an execution all the same', async () => {
		vi.resetModules();
		const { pause } = await import('../../nodes/LicensingData/service/retries.ts');
		const controller = new AbortController();
		const paused = pause(20, controller.signal);
		controller.abort(new Error('Stopped'));
		await expect(paused).rejects.toThrow('Stopped');
		await expect(pause(1, new AbortController().signal)).resolves.toBeUndefined();
	});
});
