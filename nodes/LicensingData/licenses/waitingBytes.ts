/** What one reader of a list, or one trigger, holds of all that waits in a process. */
export interface HeldBytes {
	readonly bytes: number;
	add(bytes: number): void;
	remove(bytes: number): void;
	/** Gives everything back. To be called however the reading ends. */
	close(): void;
}

/** Counts what waits in a process. Whoever holds something counts it here, and reads no further ahead while it is full. */
export class WaitingBytes {
	private held = 0;

	get bytes(): number {
		return this.held;
	}

	open(): HeldBytes {
		let bytes = 0;
		let isClosed = false;
		const change = (by: number): void => {
			// What arrives after the end is thrown away.
			if (isClosed) return;
			bytes += by;
			this.held += by;
		};
		return {
			get bytes() {
				return bytes;
			},
			add: change,
			remove: (by) => change(-by),
			close() {
				change(-bytes);
				isClosed = true;
			},
		};
	}
}

/** One for all lists and triggers of the process. */
export const waitingBytes = new WaitingBytes();
