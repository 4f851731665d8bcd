import { Doubt } from './doubt';
import type { Part } from './part';

/** Reads several parts at once, always the one that is most urgent of those that nobody reads. */
export class Crew {
	private readonly beingRead = new Set<Part>();
	private isStopped = false;
	private failure?: { error: unknown };
	private announce = () => {};
	private news!: Promise<void>;

	constructor(
		private readonly parts: Part[],
		readers: number,
		private readonly urgency: (part: Part) => number,
	) {
		this.expectNews();
		for (let reader = 0; reader < readers; reader++) void this.read();
	}

	/** Resolves when any part has been read further, and rejects when one cannot be. */
	async progress(): Promise<void> {
		if (!this.failure) await this.news;
		if (this.failure) throw this.failure.error;
	}

	stop(): void {
		this.isStopped = true;
	}

	/** A failure on a page that turned out not to be needed is nobody's concern, but a doubt is about all. */
	throwDoubt(): void {
		if (this.failure?.error instanceof Doubt) throw this.failure.error;
	}

	private async read(): Promise<void> {
		for (let part; !this.isStopped && (part = this.mostUrgent()); ) {
			this.beingRead.add(part);
			try {
				await part.readOn();
			} catch (error) {
				this.failure ??= { error };
				this.stop();
			}
			this.beingRead.delete(part);
			this.announce();
			this.expectNews();
		}
	}

	private mostUrgent(): Part | undefined {
		let most: Part | undefined;
		for (const part of this.parts) {
			if (part.isFinished || this.beingRead.has(part)) continue;
			if (!most || this.urgency(part) > this.urgency(most)) most = part;
		}
		return most;
	}

	private expectNews(): void {
		this.news = new Promise((resolve) => {
			this.announce = resolve;
		});
	}
}
