import { Failure, invalidInput } from '../../nodes/LicensingData/licenses/failure.ts';
import {
	inTriggerWords,
	TriggerLog,
	type LogContext,
} from '../../nodes/LicensingData/trigger/triggerLog.ts';

const HOUR = 3_600_000;
const WHERE = 'Workflow "Leads", node "Trigger": ';

/** What is said at these hours, without what names workflow and node. */
function said(say: (log: TriggerLog, hour: number) => unknown, hours = [0]) {
	const lines: string[] = [];
	const shown: Array<Error & { description?: string }> = [];
	const note = (line: string) => void lines.push(line.replace(WHERE, ''));
	const log = new TriggerLog({
		logger: { info: note, warn: note },
		getNode: () => ({ name: 'Trigger' }),
		getWorkflow: () => ({ id: '1', name: 'Leads' }),
		__emitError: (error: Error) => void shown.push(error),
	} as unknown as LogContext);
	const results = hours.map((hour) => {
		log.now = hour * HOUR;
		return say(log, hour);
	});
	return { lines, shown, results };
}

type Facts = ConstructorParameters<typeof Failure>[2];
const failure = (facts: Facts = {}) => new Failure('fault', 'Ask.', facts);

it('What the service names is one line of the log, without markup', () => {
	const leaveOut = (log: TriggerLog) => {
		log.leaveOut('<b>lic_1\nERROR', 'not a license');
		log.aboutLeftOut();
	};
	const [line] = said(leaveOut).lines;
	expect(line).toBe('Records left out: 1 (not a license). Example:  b lic_1 ERROR.');
});

it('What was added to the list is said, and how to get it', () => {
	const address = { county: 'Lee' };
	const additions = [
		{ licenseType: 'COP', address, filedDate: '2026-06-02' },
		{ licenseType: 'SRX', address, eventTimestamp: '2026-05-01' },
	];
	const counties = ['Lee', 'Bay', 'Clay', 'Polk', 'Duval', 'Leon', 'Levy', 'Lake', 'Pasco'];
	const ofNine = counties.map((county) => ({ address: { county } }));
	const { shown } = said((log) => {
		log.aboutAdditions('new_filing', additions);
		log.aboutAdditions('renewal', additions);
		log.aboutAdditions('renewal', ofNine);
	});
	expect(shown[0]?.message).toMatch(/at once are not reported as new \(2\)/);
	expect(shown[1]?.description).not.toContain('Filed On');
	expect(shown[2]?.description).toMatch(/ have no date \(.*, Lake\)/);
	expect(shown[0]?.description).toMatch(
		/^The service may have added a source or a county.*from 2026-05-01 to 2026-06-02 \(COP, SRX; Lee\).*'Events' New Filing and 'Filed On or After' 2026-05-01/,
	);
});

describe('What fails in poll after poll', () => {
	it('is always shown for a senseless parameter, or a fault of our own', () => {
		for (const error of [invalidInput('', ''), new TypeError()]) {
			const { results } = said((log) => log.noteUnreadable('The list', error), [0, 0.1]);
			expect(results).toEqual([true, true]);
		}
	});

	it.each([
		['a page of a list that may be read next time', { isTransient: true }, false, [1, 25, -2]],
		['a page of a list that may not', {}, false, [0, 24, -2]],
		['the first page of a list', { isTransient: true }, true, [1, 2, 3, 24, 25, 26, -2]],
	])('is shown, for %s, at these hours', (_, facts, isFirst, hours) => {
		// The clock is set back in the end.
		const all = [0, 0.5, 1, 2, 3, 24, 25, 26, -2];
		const { results } = said((log) => {
			let count = 0;
			log.show = () => count++;
			if (isFirst) log.unreadableBeside('The list', failure(facts));
			else log.pageFailed('renewal', failure(facts), false);
			return count;
		}, all);
		expect(all.filter((_hour, at) => results[at] === 1)).toEqual(hours);
	});
});

it("A trigger's errors say when it goes on, and never to run the workflow again", () => {
	const passing = { isTransient: true };
	const words = (facts: Facts, at: 'poll' | 'publishing') => {
		const advice = facts?.isTransient ? 'Run the workflow again.' : 'Ask.';
		return (inTriggerWords(new Failure('fault', advice, facts), at === 'publishing') as Failure)
			.description;
	};
	expect(words(passing, 'poll')).toMatch(
		/^Nothing is lost: .*with its next poll, and then returns what was filed in the meantime. If it keeps/,
	);
	expect(words({ ...passing, status: 429, retryAfter: 60_000 }, 'poll')).toMatch(
		/^Nothing is lost: .* tries again in 60 seconds.*poll less often/,
	);
	expect(words(passing, 'publishing')).toMatch(
		/^The workflow is not published\. Publish it again in a while\./,
	);
	expect(words({}, 'publishing')).toMatch(/^Ask\. The workflow.*again after that\.$/);
	const refused = invalidInput('fault', 'Enter a date.');
	expect(inTriggerWords(refused, true)).toBe(refused);
});
