/** What can go wrong with one request, on command. */
export type Trouble =
	/** The answer comes, but this many milliseconds later. */
	| { kind: 'delay'; milliseconds: number }
	/** 429, with `Retry-After` in seconds or without one. */
	| { kind: 'rateLimit'; retryAfter?: number }
	/** Any error status with an Error body; 500 unless given. */
	| { kind: 'error'; status?: number; type?: string; message?: string; retryAfter?: number }
	/** What a proxy in between says; 502 unless given. */
	| { kind: 'htmlPage'; status?: number }
	/** The connection closes before a byte is answered. */
	| { kind: 'droppedConnection' }
	/** A complete answer whose JSON is cut off. */
	| { kind: 'truncatedBody' }
	/** 200 with JSON (or, as a string, text) that is not what the interface describes. */
	| { kind: 'wrongShape'; body?: unknown };

export interface RequestLine {
	method: string;
	/** Below the base address: `/licenses`. */
	path: string;
	query: Record<string, unknown>;
}

export interface Aim {
	/** How many requests it hits, 1 or more; 1 unless given. */
	times?: number;
	/** Lets this many matching requests pass first. */
	after?: number;
	/** Only requests with this path, below the base address: `/licenses`. */
	path?: string;
	/** Only requests that read a further page (true) or a first one (false). */
	withCursor?: boolean;
	/** Only requests for which this returns true. */
	where?: (request: RequestLine) => boolean;
}

interface Planned {
	trouble: Trouble;
	aim: Aim;
	left: number;
	toPass: number;
}

type BetweenPages = (pagesRead: number) => void | Promise<void>;

/** Troubles wait in line; each request gets the first one that is aimed at it, and no other. */
export class TroubleQueue {
	private planned: Planned[] = [];
	private hooks = new Set<BetweenPages>();
	private pagesRead = 0;

	/** Plans a trouble for the next request, or for those the aim describes. */
	next(trouble: Trouble, aim: Aim = {}): this {
		this.planned.push({ trouble, aim, left: aim.times ?? 1, toPass: aim.after ?? 0 });
		return this;
	}

	/** How many requests will still run into trouble. */
	get pending(): number {
		return this.planned.reduce((sum, { left }) => sum + left, 0);
	}

	/** Forgets what is planned, and the hooks between pages. */
	clear(): void {
		this.planned = [];
		this.hooks.clear();
	}

	/**
	 * Runs before every request that carries a cursor, so that the feed changes between two pages. Returns what
	 * stops it.
	 */
	betweenPages(hook: BetweenPages): () => void {
		this.hooks.add(hook);
		return () => this.hooks.delete(hook);
	}

	async pageTurned(): Promise<void> {
		this.pagesRead++;
		for (const hook of this.hooks) await hook(this.pagesRead);
	}

	take(request: RequestLine): Trouble | undefined {
		for (const planned of this.planned) {
			if (!isAimedAt(planned.aim, request)) continue;
			if (planned.toPass > 0) {
				planned.toPass--;
				continue;
			}
			planned.left--;
			if (planned.left <= 0) this.planned = this.planned.filter((other) => other !== planned);
			return planned.trouble;
		}
		return undefined;
	}
}

function isAimedAt({ path, withCursor, where }: Aim, request: RequestLine): boolean {
	if (path !== undefined && path !== request.path) return false;
	if (withCursor !== undefined && withCursor !== (request.query.cursor !== undefined)) return false;
	return where?.(request) ?? true;
}
