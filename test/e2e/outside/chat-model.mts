import type { Call } from './world.mts';

interface Completion {
	model: string;
	messages: Array<{ role: string; content: unknown }>;
	tools: Array<{ function: { name: string } }>;
}

/** A model that calls a tool once, and then answers. */
export class ChatModel {
	readonly asked: Completion[] = [];
	/** What it passes to the tool. */
	toolInput: Record<string, string> = {};
	reply = '';

	answer({ path, body }: Call): unknown {
		if (path !== '/v1/chat/completions') return undefined;
		const completion = body as Completion;
		this.asked.push(completion);
		const hasLooked = completion.messages.at(-1)?.role === 'tool';
		const called = { name: 'Find_Licenses', arguments: JSON.stringify(this.toolInput) };
		const call = { index: 0, id: 'call-1', type: 'function', function: called };
		const said = hasLooked ? { content: this.reply } : { content: null, tool_calls: [call] };
		const finish_reason = hasLooked ? 'stop' : 'tool_calls';
		return {
			...{ id: 'completion-1', created: 0, model: completion.model, object: 'chat.completion' },
			choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...said } }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}
}
