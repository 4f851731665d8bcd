import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { TriggerSessions } from '../../nodes/LicensingData/trigger/session.ts';
import { Reports } from '../../nodes/LicensingData/trigger/reports.ts';
import { runSession } from '../../nodes/LicensingData/trigger/runSession.ts';
import { isShown } from '../support/fake-service.mts';

export type Page =
	| { records: License[]; cursor: string | null; total?: number }
	| { expired: true }
	| { failure: unknown };

/** Settles when the execution has ended, or could not be created. */
export interface DonePromise {
	resolve(value: unknown): void;
	reject(error: Error): void;
}

/** What the trigger sees of n8n. */
export interface PollContext {
	/** n8n notices assignments. Only what n8n holds in memory has `__dataChanged`. */
	getWorkflowStaticData(type: 'node'): Record<string, unknown>;
	/** n8n calls it after a poll that returned records; the trigger may wrap it, to pass in a promise. */
	__emit(data: unknown, responsePromise?: unknown, donePromise?: DonePromise): void;
	/** Saves a durable cursor right away; does nothing if there is none. */
	__commitCursor(): Promise<void>;
}

export interface PollCall {
	context: PollContext;
	/** Base URL and kind of key. */
	account: string;
	/** What the service filters by. */
	query: Record<string, string>;
	/** What the trigger filters itself, and a name for it. */
	matches(record: License): boolean;
	filters: string;
	startFrom?: number;
	lookback: number;
	maxItems: number;
	now: number;
	/** The time as the poll goes on. */
	clock(): number;
	readPage(cursor: string | null): Promise<Page>;
	/** Whether the time budget allows another request. */
	hasTime(): boolean;
}

export type PollResult =
	| {
			emitted: License[];
			warnings: string[];
			/** What the user was shown as a failed execution. */
			shown: unknown[];
	  }
	| { failure: unknown };

/** One process of n8n. A new one knows only what n8n has saved. */
export interface TriggerProcess {
	poll(call: PollCall): Promise<PollResult>;
}

/** A trigger to judge. */
export interface Trigger {
	/** As many events as its memory has room for. */
	start(room: number): TriggerProcess;
}

/** The package's own trigger, from n8n's poll down, without parameters and HTTP. */
export const trigger: Trigger = {
	start(room) {
		let clock = () => 0;
		const sessions = new TriggerSessions(() => clock(), room);
		const reports = new Reports();
		return {
			async poll({ context, matches, filters, startFrom, lookback, maxItems, ...list }) {
				const warnings: string[] = [];
				const shown: unknown[] = [];
				clock = list.clock;
				const session = sessions.begin('trigger', context as never);
				if (!session) return { emitted: [], warnings, shown };
				Object.assign(context, {
					getNode: () => ({ name: 'Licensing Data Trigger' }),
					logger: { info: () => {}, warn: (line: string) => warnings.push(line) },
					__emitError: (error: unknown) => shown.push(error),
				});
				const matchesAll = (record: License) => isShown(record, list.query) && matches(record);
				const settings = { matches, matchesAll, filters, startFrom, lookback, maxItems };
				const input = { settings, list, session };
				try {
					const events = await runSession(input, context as never, reports, (news) => news);
					return { emitted: events ?? [], warnings, shown };
				} catch (failure) {
					return { failure };
				} finally {
					session.end();
				}
			},
		};
	},
};
