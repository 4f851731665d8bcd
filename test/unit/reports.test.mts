import { describe, expect, it } from 'vitest';

import { startOf } from '../../nodes/LicensingData/trigger/feed/sortKey.ts';
import { Reports, type ReportContext } from '../../nodes/LicensingData/trigger/reports.ts';

type Outcome = Parameters<Reports['about']>[0];

const HOUR = 3_600_000;

/** What polls at these hours have to say in n8n's log. In some of the hours, all is well. */
function said(outcome: Partial<Outcome>, hours = [0], well: number[] = []): string[] {
	const lines: string[] = [];
	const log = (line: string) => void lines.push(line);
	const context = {
		logger: { info: log, warn: log },
		getNode: () => ({ name: 'Trigger' }),
		__emitError: () => {},
	} as unknown as ReportContext;
	const reports = new Reports();
	const nothing = {
		waiting: 0,
		isReadingBaseline: false,
		shortBy: 0,
		forgotten: { undated: false },
	};
	for (const hour of hours) {
		const more = well.includes(hour) ? {} : outcome;
		reports.about({ ...nothing, ...more } as Outcome, context, hour * HOUR);
	}
	return lines;
}

describe("n8n's log", () => {
	it.each<[string, Partial<Outcome>]>([
		['1 event found and waiting for the next poll', { waiting: 1 }],
		['2,500 events found and waiting for the next poll', { waiting: 2500 }],
		[
			'The baseline is still being read; the next poll goes on with it',
			{ isReadingBaseline: true },
		],
		['The list ended 3 licenses short of the total that the service gives.', { shortBy: 3 }],
	])('says: %s', (line, outcome) => {
		expect(said(outcome)).toEqual([line]);
	});

	it('says what the trigger can no longer remember', () => {
		const undated = { forgotten: { undated: true } } as Partial<Outcome>;
		expect(said(undated)).toEqual([
			expect.stringMatching(/^More licenses without a date have come/),
		]);
	});

	it('says from when on it remembers, where more arrived than it can', () => {
		const datedUpTo = `${startOf(Date.parse('2026-07-01T12:00:00Z'))}12345678`;
		expect(said({ forgotten: { undated: false, datedUpTo } })).toEqual([
			expect.stringContaining('Events from before 2026-07-01T12:00:00.000Z that turn up late'),
		]);
	});

	it('says since when a page could not be read, anew once it could', () => {
		const unread = { failure: new Error('fault'), isFirst: false, isStuck: true };
		const since = (line: string) => Date.parse(/since (\S+)\./.exec(line)?.[1] ?? '') / HOUR;
		const lines = said({ unread }, [0, 0.5, 1, 2, 3, 3.5, 3.9, 4], [2]);
		expect(lines.map(since)).toEqual([0, 0, 3, 3]);
	});

	it('says again what lasts where the clock was set back', () => {
		expect(said({ shortBy: 3 }, [5, 0])).toHaveLength(2);
	});

	it('says once an hour what lasts, and nothing where all is well', () => {
		expect(said({ shortBy: 3 }, [0, 0.5, 0.9, 1, 1.5])).toHaveLength(2);
		expect(said({}, [0, 1])).toEqual([]);
	});
});
