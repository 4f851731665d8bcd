import { UNDATED } from './event';

/**
 * A part of the list that one scan read without a gap, by the times of its events. Of its first and its last
 * moment perhaps not all were met, of what lies between all of them.
 */
export interface Stretch {
	top: number;
	bottom: number;
	/** Up to this time, from the bottom on, events were met but could not all be remembered; 0 where all are. */
	forgotten: number;
}

/** More of them than a scan ever needs would be no use, and take room in the state. */
const MOST_STRETCHES = 6;

/**
 * Notes that a page from one time down to another was read. The last stretch is the one being read. Others are
 * what it has still to meet: a scan that loses its place, or whose list is pushed down, goes on above them, and
 * what stands between is not read yet.
 */
export function extend(stretches: Stretch[], first: number, last: number): Stretch[] {
	const others = stretches.slice();
	let current = others.pop();
	if (current && first <= current.top) {
		current = { ...current, bottom: Math.min(current.bottom, last) };
	} else {
		if (current) others.push(current);
		current = { top: first, bottom: last, forgotten: 0 };
	}
	const apart: Stretch[] = [];
	for (const other of others) {
		const isMet = current.bottom < other.top && other.bottom < current.top;
		if (isMet) current = joined(current, other);
		else apart.push(other);
	}
	return [...fewer(apart), current];
}

/** What is remembered whole can do without its stretch; of the rest, the oldest must do as one. */
function fewer(stretches: Stretch[]): Stretch[] {
	if (stretches.length < MOST_STRETCHES) return stretches;
	const isDispensable = ({ forgotten }: Stretch) => forgotten === 0;
	const dispensable = stretches.findIndex(isDispensable);
	if (dispensable >= 0) return stretches.filter((_, index) => index !== dispensable);
	const [one, two, ...others] = stretches as [Stretch, Stretch, ...Stretch[]];
	return [joined(one, two), ...others];
}

/** Whether an event that is not remembered counts as met. */
export const isForgotten = (stretches: Stretch[], time: number): boolean =>
	stretches.some(({ bottom, forgotten }) => bottom < time && time <= forgotten);

/** Whether an event of this time may be forgotten, once it was met. */
export const mayForget = (stretches: Stretch[], time: number): boolean =>
	time !== UNDATED && stretches.some(({ top, bottom }) => bottom < time && time <= top);

/** Where there is no room for the moments at which earlier stretches ended, these count as met as a whole. */
export const tightened = (stretches: Stretch[]): Stretch[] =>
	stretches.map((stretch, index) =>
		index < stretches.length - 1 ? { ...stretch, bottom: stretch.bottom - 1 } : stretch,
	);

/** Notes that events of these times are no longer remembered. */
export function forget(stretches: Stretch[], times: Iterable<number>): Stretch[] {
	const forgetful = stretches.map((stretch) => ({ ...stretch }));
	for (const time of times) {
		for (const stretch of forgetful) {
			if (stretch.bottom <= time && time <= stretch.top) {
				stretch.forgotten = Math.max(stretch.forgotten, time);
			}
		}
	}
	return forgetful;
}

/** The latest time of all that is no longer remembered; 0 where all is. */
export const lastForgotten = (stretches: Stretch[]): number =>
	Math.max(0, ...stretches.map(({ forgotten }) => forgotten));

function joined(one: Stretch, two: Stretch): Stretch {
	return {
		top: Math.max(one.top, two.top),
		bottom: Math.min(one.bottom, two.bottom),
		forgotten: Math.max(one.forgotten, two.forgotten),
	};
}
