import { sleep } from 'n8n-workflow';

/** Rejects when the execution is stopped: at once, or after the wait if n8n's `sleep` takes no signal yet. */
export async function pause(milliseconds: number, stopped?: AbortSignal): Promise<void> {
	await sleep(milliseconds, stopped);
	stopped?.throwIfAborted();
}
