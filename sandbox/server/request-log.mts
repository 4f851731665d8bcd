import type { RequestLine } from './trouble.mts';

export interface SeenRequest extends RequestLine {
	at: string;
	/** Without the authorization header: the key is never written down. */
	headers: Record<string, string | string[] | undefined>;
	/** What was answered; absent until then, or if the connection was dropped. */
	status?: number;
}

const KEPT = 10_000;

/** Keeps what was asked, for tests that count. */
export class RequestLog {
	/** The latest 10,000 requests, oldest first. */
	entries: SeenRequest[] = [];
	/** How many requests came since the last reset, kept or not. */
	count = 0;

	record(request: SeenRequest): void {
		this.count++;
		this.entries.push(request);
		if (this.entries.length > 2 * KEPT) this.entries = this.entries.slice(-KEPT);
	}

	reset(): void {
		this.entries = [];
		this.count = 0;
	}
}
