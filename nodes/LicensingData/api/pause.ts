import { sleep } from 'n8n-workflow';

/** Rejects when the execution is stopped: at once, or after the wait where n8n's `sleep` knows no signal yet. */
export async function pause(milliseconds: number, stopped?: AbortSignal): Promise<void> {
	await sleep(milliseconds, stopped);
	stopped?.throwIfAborted();
}
