/** What a history must run into to prove something. A run in which one of these never occurs fails. */
export const RARE_SITUATIONS = [
	'a tie across two pages',
	'a list sorted by another date',
	'a list sorted by arrival',
	'a whole page of old records on top',
	'undated events above dated ones',
	'a record inserted between two pages',
	'a record removed between two pages, with cursors that are positions',
	'a cursor refused',
	'a cursor refused twice in one poll',
	'a first page that failed',
	'a first page that was empty for once',
	'a first look at a page that was empty for once',
	'a page that never came',
	'an event emitted though the page below never came',
	'time that ran out in the middle of the baseline',
	'time that ran out in the middle of a scan',
	'a late arrival while a backlog drained',
	'an event that changed or went while it waited',
	'a baseline whose process was lost',
	'a process lost in the middle of a backlog',
	'a process lost in the middle of a backlog, with a local filter',
	'a process lost in the middle of a poll',
	'n8n stopped between its two writes',
	'n8n stopped between its two writes for longer than the grace period',
	'a batch repeated after a restart within the grace period',
	'a restart after the grace period',
	'a batch taken back after its execution was refused',
	'a batch taken back after a newer one',
	'an execution canceled, which is no loss',
	'a batch whose state could not be saved',
	'a transaction refused',
	'a poll that n8n abandoned',
	'another main process',
	'a main process that leads again',
	'a cursor read before the last one was saved',
	'two polls at once',
	'local filters made wider',
	'local filters made narrower',
	'a wider query',
	'a narrower query',
	'another query',
	'another account',
	'filters changed while events waited',
	'old events that Start From asked for',
	'a window larger than memory',
] as const;

/** Occurs only if thousands of records are listed. */
export const LARGE_SITUATIONS = [
	'thousands with one timestamp',
	'more undated events than are remembered',
	'a backlog of more than a thousand',
] as const;

export type RareSituation = (typeof RARE_SITUATIONS | typeof LARGE_SITUATIONS)[number];

export class Situations {
	private readonly counts = new Map<RareSituation, number>();

	meet(situation: RareSituation): void {
		this.counts.set(situation, this.count(situation) + 1);
	}

	count(situation: RareSituation): number {
		return this.counts.get(situation) ?? 0;
	}
}
