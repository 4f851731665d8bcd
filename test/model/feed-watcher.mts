import type { FeedRecord } from '../../nodes/LicensingData/feed/event.ts';
import { pollFeed, type PageResult, type Poll } from '../../nodes/LicensingData/feed/poll.ts';
import type { FeedState } from '../../nodes/LicensingData/feed/state.ts';
import { HOUR } from './feed-service.mts';

type Read<Entry> = (cursor: string | null) => PageResult<Entry>;

interface Settings<Entry> extends Partial<Poll<Entry>> {
	/** Requests that the time budget allows. */
	pages?: number;
}

/** Polls as the door does, and keeps what the door would save. */
export class Watcher<Entry extends FeedRecord & { id: string }> {
	/** As n8n keeps it: text in a database. */
	saved: string | undefined;
	requests = 0;
	shrunkTo: number | undefined;
	unread: { failure: unknown } | undefined;

	constructor(
		private readonly read: Read<Entry>,
		private readonly settings: Settings<Entry> = {},
	) {}

	get state(): FeedState {
		return JSON.parse(this.saved ?? 'null') as FeedState;
	}

	/** The ids of what is emitted. */
	async poll(settings: Settings<Entry> = {}): Promise<string[]> {
		const { pages = Infinity, ...rest } = { ...this.settings, ...settings };
		this.requests = 0;
		const outcome = await pollFeed<Entry>({
			saved: this.saved && JSON.parse(this.saved),
			filters: 'all',
			readPage: async (cursor) => {
				this.requests++;
				return this.read(cursor);
			},
			matches: () => true,
			lookback: 24 * HOUR,
			maxItems: 1000,
			now: NOON,
			hasTime: () => this.requests < pages,
			...rest,
		});
		if ('failure' in outcome) throw outcome.failure;
		this.saved = JSON.stringify(outcome.state);
		this.shrunkTo = outcome.shrunkTo;
		this.unread = outcome.unread;
		return outcome.events.map(({ id }) => id);
	}

	/** Polls until nothing is left open. */
	async drain(settings: Settings<Entry> = {}): Promise<{ ids: string[]; requests: number }> {
		const ids: string[] = [];
		let requests = 0;
		for (let polls = 0; polls < 1000; polls++) {
			ids.push(...(await this.poll(settings)));
			requests += this.requests;
			if (this.state.open === null) return { ids, requests };
		}
		throw new Error('A thousand polls have not drained it');
	}
}

export const NOON = Date.parse('2026-07-01T12:00:00Z');
