import type { License } from '../licenses/license';
import { DAY } from '../licenses/time';
import type { Scan } from './scan';
import type { KeyKind } from './stateFormat';

/** An event that is to be emitted. */
export interface Found {
	event: string;
	keys: string[];
	record: License;
	/** What filters are applied to. */
	matched: License;
}

export type Progress = ReturnType<typeof newProgress>;

/** What a process knows beyond the saved state. If it is lost, the lists are read again. */
export const newProgress = (kind: KeyKind, now: number) => ({
	kind,
	/** The filters with which the readings began. */
	filters: '',
	/** What was found, and is not emitted yet, by each of its keys. */
	queue: new Map<string, Found>(),
	/** What was emitted, by batch, until n8n has said what became of it. */
	inFlight: new Map<string, Found[]>(),
	/** Full readings that have not ended, by event. */
	scans: new Map<string, Scan>(),
	/** When page one of each list was last asked for, and when the last poll was: at worst, a day ago. */
	triedAt: new Map<string, number>(),
	polledAt: now - DAY,
});
