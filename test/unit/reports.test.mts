import { describe, expect, it } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import { Reports, type ReportContext } from '../../nodes/LicensingData/trigger/reports.ts';
import { inTriggerWords } from '../../nodes/LicensingData/trigger/words.ts';

type Outcome = Parameters<Reports['about']>[0];
type ListReport = Outcome['lists'][number];

const HOUR = 3_600_000;

function newContext() {
	const lines: string[] = [];
	const shown: string[] = [];
	const log = (line: string) => void lines.push(line);
	const context = {
		logger: { info: log, warn: log },
		getNode: () => ({ name: 'Trigger' }),
		__emitError: ({ message }: Error) => void shown.push(message),
	} as unknown as ReportContext;
	return { context, lines, shown };
}

const NOTHING = { waiting: 0, hasUnknownList: false, held: [], requestsToReadAll: 0, lists: [] };

/** What polls at these hours have to say. In some of the hours, all is well. */
function said(outcome: Partial<Outcome>, hours = [0], well: number[] = []) {
	const { context, lines, shown } = newContext();
	const reports = new Reports();
	for (const hour of hours) {
		const more = well.includes(hour) ? {} : outcome;
		const list = { event: 'renewal', isCut: false, tooOld: 0 };
		reports.about({ ...NOTHING, lists: [list], ...more } as Outcome, context, hour * HOUR);
	}
	return { lines, shown };
}

const list = (more: Partial<ListReport>): Partial<Outcome> => ({
	lists: [{ event: 'renewal', isCut: false, tooOld: 0, ...more }],
});

describe("n8n's log", () => {
	it.each<[RegExp, Partial<Outcome>]>([
		[/^1 event found and waiting for the next poll$/, { waiting: 1 }],
		[/^2,500 events found and waiting for the next poll$/, { waiting: 2500 }],
		[/^The list is still being read for the first time/, { hasUnknownList: true }],
		[/each is read in full once in 25 hours/, { requestsToReadAll: 1441 }],
		[/^Renewal: the list is known from now on/, list({ isNewlyKnown: true })],
		[/^Renewal: the list changed whenever it was read/, list({ keptChanging: true })],
		[/^Renewal: the list is longer than the trigger can/, list({ isCut: true })],
		[/^2 licenses new in the list, but left out as older/, list({ tooOld: 2 })],
	])('says: %s', (line, outcome) => {
		expect(said(outcome).lines).toEqual([expect.stringMatching(line)]);
	});

	it.each<[Partial<Outcome>]>([
		[{ requestsToReadAll: 1441 }],
		[list({ isCut: true })],
		[list({ tooOld: 2 })],
	])('says once a day what lasts, and again where the clock was set back: %j', (outcome) => {
		expect(said(outcome, [0, 1, 23, 24, 25]).lines).toHaveLength(2);
		expect(said(outcome, [25, 0]).lines).toHaveLength(2);
	});

	it('says since when a page could not be read, once an hour, and anew once it could', () => {
		const outcome = list({ failed: { failure: new Error('fault'), isFirst: false, end: 'cut' } });
		const { lines, shown } = said(outcome, [0, 0.5, 1, 2, 3, 3.5, 3.9, 4], [2]);
		const since = (line: string) => Date.parse(/since (\S+):/.exec(line)?.[1] ?? '') / HOUR;
		expect(lines.map(since)).toEqual([0, 0, 3, 3].filter((_, index) => index < lines.length));
		expect(shown).toHaveLength(lines.length);
		expect(lines).toHaveLength(4);
	});

	it('says what is held back, whatever stands in it', () => {
		const odd = { toString: 1 } as never;
		const held = [{ filedDate: odd, licenseType: odd }, { filedDate: '2026-07-03' }];
		expect(said({ held }).lines).toEqual([
			expect.stringContaining('(?, filed from 2026-07-03 to 2026-07-03)'),
		]);
	});

	it('says nothing where all is well', () => {
		expect(said({}, [0, 1])).toEqual({ lines: [], shown: [] });
	});
});

it('With a test key, a failed execution says once a day that nothing new ever comes', () => {
	const { context, shown } = newContext();
	const reports = new Reports();
	for (const hour of [0, 1, 23, 24]) reports.aboutTestKey(context, hour * HOUR);
	expect(shown).toEqual(Array(2).fill('With a test key, nothing new ever comes'));
});

describe('Polls that fail one after another', () => {
	const failure = (status: number) => new Failure('status', 'fault', '', { status });
	/** At which of these hours n8n shows it. */
	const shownAt = (error: unknown, hours: number[], reports = new Reports()) => {
		const { context, lines } = newContext();
		const shown = hours.filter((hour) => reports.isToBeShown(error, context, hour * HOUR));
		return { shown, lines, end: () => reports.about(NOTHING as unknown as Outcome, context, 0) };
	};

	it('are shown the first time and then once an hour; the rest is logged, and one line says when it is over', () => {
		const { shown, lines, end } = shownAt(failure(503), [1, 1.5, 1.9, 2, 2.5]);
		expect(shown).toEqual([1, 2]);
		expect(lines).toHaveLength(3);
		expect(lines[0]).toBe('The list still cannot be read, since 1970-01-01T01:00:00.000Z: fault');
		end();
		end();
		expect(lines.slice(3)).toEqual([
			'The list can be read again. It could not be read since 1970-01-01T01:00:00.000Z.',
		]);
	});

	it('are shown anew after one that went well, and where the clock was set back', () => {
		const reports = new Reports();
		shownAt(failure(503), [0], reports).end();
		expect(shownAt(failure(503), [0.5, 0.7], reports).shown).toEqual([0.5]);
		expect(shownAt(failure(503), [9, 0]).shown).toEqual([9, 0]);
	});

	it.each([401, 403, 429])('with %d are always shown, since n8n itself slows down', (status) => {
		expect(shownAt(failure(status), [0, 0.1, 0.2]).shown).toHaveLength(3);
	});

	it('for a parameter that makes no sense, or a fault of our own, are always shown', () => {
		expect(shownAt(new Failure('refused', '', ''), [0, 0.1]).shown).toHaveLength(2);
		expect(shownAt(new TypeError(), [0, 0.1]).shown).toHaveLength(2);
	});
});

describe("A trigger's errors", () => {
	const described = (facts: ConstructorParameters<typeof Failure>[3], isPublishing: boolean) =>
		(
			inTriggerWords(
				new Failure('status', 'fault', "Run the workflow again. Turn on 'Retry On Fail'.", facts),
				isPublishing,
			) as Failure
		).description;
	const passing = { isTransient: true };

	it.each<[string, Parameters<typeof described>, RegExp]>([
		[
			'that nothing is lost and when it asks again',
			[passing, false],
			/^Nothing is lost: .*next poll/,
		],
		[
			'how long it waits',
			[{ ...passing, status: 429, retryAfter: 60_000 }, false],
			/asks again in 60 seconds.*poll less often/,
		],
		['that the workflow is not published', [passing, true], /^The workflow is not published\./],
	])('say %s, and never to run the workflow again', (_, args, words) => {
		expect(described(...args)).toMatch(words);
		expect(described(...args)).not.toMatch(/[Rr]un the workflow again|Retry On Fail/);
	});

	it('leave a parameter that makes no sense to its own words', () => {
		const refused = new Failure('refused', 'fault', 'Enter a date.');
		expect(inTriggerWords(refused, true)).toBe(refused);
	});
});
