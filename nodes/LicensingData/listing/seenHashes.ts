import { hash } from 'node:crypto';

/**
 * Remembers which texts it has seen, at 16 to 32 bytes each. The texts themselves would take many times as
 * much, which matters when a million records are read. It compares 64 bits of a hash: the odds that any two
 * of a million texts share them are below one in thirty million.
 */
export class SeenHashes {
	/** Two numbers per text, in the first free slot from where its hash points. Zeros mean free. */
	private slots = new Uint32Array(2 ** 12);
	private count = 0;

	/** Adds a text, and tells whether it is new. */
	add(text: string): boolean {
		const digest = hash('sha256', text);
		const [low, high] = [digest.slice(0, 8), digest.slice(8, 16)];
		if (!this.put(Number.parseInt(low, 16), Number.parseInt(high, 16))) return false;
		this.count++;
		// A free slot is found quickly only while half of them are free.
		if (this.count * 4 > this.slots.length) this.grow();
		return true;
	}

	private put(low: number, high: number): boolean {
		const { slots } = this;
		for (let at = (low * 2) % slots.length; ; at = (at + 2) % slots.length) {
			if (slots[at] === 0 && slots[at + 1] === 0) {
				slots[at] = low;
				slots[at + 1] = high;
				return true;
			}
			if (slots[at] === low && slots[at + 1] === high) return false;
		}
	}

	private grow(): void {
		const { slots } = this;
		this.slots = new Uint32Array(2 * slots.length);
		for (let at = 0; at < slots.length; at += 2) {
			const [low = 0, high = 0] = [slots[at], slots[at + 1]];
			if (low !== 0 || high !== 0) this.put(low, high);
		}
	}
}
