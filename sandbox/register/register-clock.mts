import type { Clock } from '../clock.mts';
import { DAY } from './calendar.mts';

/**
 * A register's own time. It begins in the past and never passes the real clock; once it has caught up, it goes at
 * the real one's pace.
 */
export class RegisterClock {
	private reached: number;
	private since: number;

	constructor(
		private readonly real: Clock,
		start: number,
		/** Milliseconds; undefined stands still. */
		readonly dayTakes?: number,
	) {
		this.reached = start;
		this.since = real.now();
	}

	now(): number {
		const real = this.real.now();
		const pace = this.dayTakes === undefined ? 0 : DAY / this.dayTakes;
		return Math.min(this.reached + (real - this.since) * pace, real);
	}

	get hasCaughtUp(): boolean {
		return this.now() >= this.real.now();
	}

	/** How long something that this clock has in so many milliseconds takes in real ones. */
	realFor(milliseconds: number): number {
		if (this.dayTakes === undefined) return Infinity;
		return this.hasCaughtUp ? milliseconds : (milliseconds * this.dayTakes) / DAY;
	}

	advance(milliseconds: number): void {
		this.reached = Math.min(this.now() + milliseconds, this.real.now());
		this.since = this.real.now();
	}
}
