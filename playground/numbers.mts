/** A number from a command line; throws with a sentence that says what is wrong with it. */
export function positive(name: string, given: string): number {
	const number = Number(given);
	if (number > 0 && Number.isFinite(number)) return number;
	throw new Error(`${name} takes a number above 0, not "${given}"`);
}

export function whole(name: string, given: string): number {
	if (/^\d+$/.test(given)) return Number(given);
	throw new Error(`${name} takes a whole number from 0 up, not "${given}"`);
}
