import { EventStream, type Call } from './world.mts';

interface Message {
	role: string;
	content: unknown;
}

export interface Completion {
	model: string;
	stream?: boolean;
	messages: Message[];
	tools: Array<{ function: { name: string; parameters: { properties: object } } }>;
}

/** A model that calls the tool it is given once, and then answers. */
export class ChatModel {
	readonly asked: Completion[] = [];
	/** The tool that it calls. */
	tool = 'Find_Licenses';
	/** What it passes to the tool. */
	toolInput: Record<string, string> = {};
	reply = '';

	answer({ path, body }: Call): unknown {
		if (path !== '/v1/chat/completions') return undefined;
		const completion = body as Completion;
		this.asked.push(completion);
		const hasLooked = completion.messages.at(-1)?.role === 'tool';
		const message = hasLooked ? { content: this.reply } : this.lookInto();
		const finish_reason = hasLooked ? 'stop' : 'tool_calls';
		const about = { id: 'completion-1', created: 0, model: completion.model };
		if (!completion.stream) {
			return {
				...about,
				object: 'chat.completion',
				choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			};
		}
		const chunk = (delta: object, reason: string | null) => ({
			...about,
			object: 'chat.completion.chunk',
			choices: [{ index: 0, delta, finish_reason: reason }],
		});
		return new EventStream([
			chunk({ role: 'assistant', ...message }, null),
			chunk({}, finish_reason),
		]);
	}

	private lookInto() {
		const call = {
			index: 0,
			id: 'call-1',
			type: 'function',
			function: {
				name: this.tool,
				arguments: JSON.stringify(this.toolInput),
			},
		};
		return { content: null, tool_calls: [call] };
	}
}
