import { tails } from './business-names.mts';
import { Phrases } from './phrases.mts';
import type { Places } from './places.mts';

/**
 * What a record's text holds beside the head of its name: the name's tail, and the place. Each pair
 * that occurs is numbered, so that a record's text is two numbers.
 */
export class Settings {
	private readonly tailTexts = new Phrases();
	private readonly placeTexts = new Phrases();
	private readonly tails: number[] = [];
	private readonly places: number[] = [];
	private readonly indexes = new Map<number, number>();

	constructor(private readonly known: Places) {
		for (const tail of tails) this.tailTexts.add(tail);
	}

	indexOf(tail: number, place: number): number {
		const key = place * tails.length + tail;
		let index = this.indexes.get(key);
		if (index === undefined) {
			this.learnPlaces(place);
			this.tails.push(tail);
			index = this.places.push(place) - 1;
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

	/** For each setting, one bit for each query word that it contains. */
	masks(query: readonly string[]): Uint8Array {
		const tailMasks = this.tailTexts.masks(query);
		const placeMasks = this.placeTexts.masks(query);
		const masks = new Uint8Array(this.tails.length);
		for (let index = 0; index < masks.length; index++)
			masks[index] = tailMasks[this.tails[index]!]! | placeMasks[this.places[index]!]!;
		return masks;
	}

	mask(index: number, query: readonly string[]): number {
		return (
			this.tailTexts.mask(this.tailOf(index), query) |
			this.placeTexts.mask(this.placeOf(index), query)
		);
	}

	private learnPlaces(upTo: number): void {
		while (this.placeTexts.length <= upTo) {
			const { city, county } = this.known.at(this.placeTexts.length);
			this.placeTexts.add(`${city ?? ''} ${county ?? ''}`);
		}
	}
}
