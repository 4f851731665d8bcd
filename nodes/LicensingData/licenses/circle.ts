/**
 * Given one page of a walk after another, returns true once the walk repeats itself. It is Brent's algorithm: it
 * keeps one page to compare with, and takes a later one twice as far on, so it finds a circle of any length
 * within three times that length.
 */
export function watchForCircle(): (page: string) => boolean {
	let kept: string | undefined;
	let steps = 0;
	let power = 1;
	return (page) => {
		if (page === kept) return true;
		if (++steps === power) {
			kept = page;
			power *= 2;
			steps = 0;
		}
		return false;
	};
}
