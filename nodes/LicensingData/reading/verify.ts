import type { License, LicensePage } from '../api/types';
import { Doubt } from './doubt';
import { isSameEvent } from './order';

/** The whole's own first page shows in which order its parts belong. */
export function verifyBeginning(whole: License[], merged: License[]): void {
	if (!whole.every((license, at) => isSameEvent(license, merged[at]))) {
		throw new Doubt('its parts do not begin as it does');
	}
}

/**
 * Whether the list is what it was, but for licenses filed in the meantime on top of it. An update in the
 * meantime may have moved a record from a part that was still to be read to one that had been read.
 */
export function verifyUnmoved(before: LicensePage, now: LicensePage): void {
	const filed = (now.pagination.total ?? 0) - (before.pagination.total ?? 0);
	const still = now.data.slice(Math.max(0, filed));
	const isUnmoved =
		filed >= 0 &&
		still.length > 0 &&
		still.every((license, at) => isSameEvent(license, before.data[at]));
	if (!isUnmoved) throw new Doubt('it changed while it was read');
}
