import { DAY, HOUR } from '../licenses/time';
import type { PollRun } from './pollRun';
import type { Scan } from './scan';
import type { ListState } from './stateFormat';

/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MAX_ON_TOP = 20;
/** A register changes once a day, and a list may keep its first page and its total. */
const MAX_UNREAD = DAY + 6 * HOUR;

/** Says whether a list is to be read to its end, after its first pages. */
export function isDue(top: Scan, state: ListState, run: PollRun): boolean {
	if (state.filters !== run.filters || top.unseen > MAX_ON_TOP) return true;
	const age = run.now - Number(state.beganAt);
	// The clock may have been set back.
	if (age < 0 || age + run.interval > MAX_UNREAD) return true;
	return run.mayBegin && top.signs !== state.signs;
}
