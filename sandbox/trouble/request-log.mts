import type { RequestLine } from './trouble.mts';

export interface SeenRequest extends RequestLine {
	at: string;
	/** Without the authorization header: the key is never written down. */
	headers: Record<string, string | string[] | undefined>;
	/** What was answered; absent until then, or if the connection was dropped. */
	status?: number;
}

/** Keeps the latest 10,000 requests, oldest first, and counts all since the last reset. */
export class RequestLog {
	entries: SeenRequest[] = [];
	count = 0;

	record(request: SeenRequest): void {
		this.count++;
		this.entries.push(request);
		if (this.entries.length > 20_000) this.entries = this.entries.slice(-10_000);
	}

	reset(): void {
		this.entries = [];
		this.count = 0;
	}
}
