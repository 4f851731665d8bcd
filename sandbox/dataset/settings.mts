import { tails } from './business-names.mts';
import { Phrases } from './phrases.mts';
import type { Places } from './places.mts';

/** What a record's text holds beside the head of its name: the name's tail, and the place. */
export class Settings {
	readonly phrases = new Phrases();
	private readonly tails: number[] = [];
	private readonly places: number[] = [];
	private readonly indexes = new Map<number, number>();

	constructor(private readonly known: Places) {}

	indexOf(tail: number, place: number): number {
		const key = place * tails.length + tail;
		let index = this.indexes.get(key);
		if (index === undefined) {
			const { city, county } = this.known.at(place);
			index = this.phrases.add(`${tails[tail] ?? ''} ${city ?? ''} ${county ?? ''}`);
			this.tails.push(tail);
			this.places.push(place);
			this.indexes.set(key, index);
		}
		return index;
	}

	tailOf(index: number): number {
		return this.tails[index] ?? 0;
	}

	placeOf(index: number): number {
		return this.places[index] ?? 0;
	}
}
