import type { Call } from './world.mts';

export function answerAsSlack({ path, body }: Call): unknown {
	if (path !== '/api/chat.postMessage') return undefined;
	const { channel, text } = body as { channel: string; text: string };
	// Slack refuses longer messages.
	if (text.length > 40_000) return { ok: false, error: 'msg_too_long' };
	return { ok: true, channel, ts: '1', message: { text } };
}
