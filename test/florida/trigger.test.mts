import type { IDataObject } from 'n8n-workflow';
import { beforeEach, expect, it, vi } from 'vitest';

import { FloridaRegister } from '../../florida/register.mts';
import { documented } from '../../server/answers.mts';
import { cursorOf, limitIn, positionIn, queryIn } from '../../server/query.mts';
import { DAY, ListedTrigger, useClock } from '../support/listed-trigger.mts';
import {
	bars,
	dated,
	Days,
	food,
	foods,
	holder,
	liquor,
	number,
	reissued,
	type Content,
	type Fields,
} from './state-files.mts';

const FIRST = '2025-07-01';

beforeEach(() => useClock(Date.parse(`${FIRST}T12:00:00Z`)));

/** New files so many days after the first ones, and which licenses then come. */
type Step = [days: number, files: Record<string, Content>, comes: Fields[]];

interface History {
	parameters?: IDataObject;
	/** On the day on which the workflow is published. */
	files: Record<string, Content>;
	steps: Step[];
}

/** A trigger, as n8n's own context runs it, on what is made of the state's files. */
async function follow({ parameters = { eventTypes: ['new_filing'] }, files, steps }: History) {
	const days = new Days();
	let register: FloridaRegister;
	const trigger = new ListedTrigger([], parameters);
	trigger.answer = (query) => {
		const limit = limitIn(query, 10, 50);
		const page = register.page(queryIn(query), positionIn(query), limit);
		const cursor = page.next && cursorOf(page.next);
		const body = documented.pages({ data: page.data, cursor, total: page.total, limit });
		return { status: 200, body };
	};
	const takeIn = async (after: number, more: Record<string, Content>) => {
		const time = Date.parse(`${FIRST}T12:00:00Z`) + after * DAY;
		vi.setSystemTime(Math.max(time, Date.now()));
		await days.refresh(new Date(time).toISOString().slice(0, 10), more);
		register = new FloridaRegister({ snapshot: await days.open() });
	};
	await takeIn(0, files);
	expect([await trigger.publish(), await trigger.polls(3)]).toEqual([[], []]);
	for (const [after, more, comes] of steps) {
		await takeIn(after, more);
		expect((await trigger.polls(30)).sort()).toEqual(numbersOf(comes));
		expect(trigger.failures).toEqual([]);
	}
}

const numbersOf = (rows: Fields[]): string[] => rows.map((row) => row['License Number']!).sort();
/** Approved over nine days. */
const approvals = (rows: Fields[], month: string): Fields[] =>
	numbersOf(rows).map((one, at) => dated(one, month.replace('/', `/0${1 + (at % 9)}/`)));
const newcomers = (count: number, series = 'SEA23', from = 1400): Fields[] =>
	foods(count, from, series).map((row, at) => ({ ...row, 'Licensee Name': holder(1000 + at) }));

const many = foods(400);
/** More than one day ever brought: 176 in ten days of 2025. */
const fresh = newcomers(176);
const [spring, summer] = [newcomers(20), newcomers(5, 'SEA23', 1420)];
const joining = foods(200, 1, 'SEA60');
const joined = newcomers(7, 'SEA60', 201);
const newBars = bars(30, 5201).map((row, at) => ({
	...{ ...row, 'Owner Name': holder(500 + at), 'Primary Status': '21' },
	'Original Licensure Date': '07/05/2025',
}));
const early = liquor(number('BEV58', 5200), { 'Original Licensure Date': '06/20/2025' });
const inOrange = food('SEA5800007', {
	...{ 'Location County Code': '58', 'Licensee Name': holder(900) },
});
const transfers = foods(30).map(
	(row, at): Fields => ({ ...row, 'Licensee Name': holder(600 + at) }),
);
const named = transfers.map((row) => dated(row['License Number']!, '07/02/2025', row));

const HISTORIES: Record<string, History> = {
	'New filings, before newfood dates them and after': {
		files: { hrfood1: many },
		steps: [
			[10, { hrfood1: [...many, ...fresh] }, fresh],
			[12, { newfood: approvals(fresh, '07/2025') }, []],
			[14, { hrfood1: reissued([...many, ...fresh], '2') }, []],
		],
	},
	'New filings that newfood dates from the beginning': {
		files: { hrfood1: many, newfood: approvals(many.slice(0, 1), '07/2025') },
		steps: [[10, { hrfood1: [...many, ...fresh], newfood: approvals(fresh, '07/2025') }, fresh]],
	},
	'What was filed during a month without a refresh': {
		files: { hrfood1: many },
		steps: [[31, { hrfood1: [...many, ...fresh] }, fresh]],
	},
	'New filings before and after 1 July, on which newfood starts over': {
		files: { hrfood1: many },
		steps: [
			[330, { hrfood1: [...many, ...spring], newfood: approvals(spring, '05/2026') }, spring],
			[
				371,
				{
					hrfood1: [...many, ...spring, ...summer],
					newfood: approvals(summer, '07/2026'),
				},
				summer,
			],
		],
	},
	'What is new in a district that joins on the third day': {
		files: { hrfood1: many },
		steps: [
			[1, { hrfood1: reissued(many, '2') }, []],
			[2, { hrfood4: joining, newfood: approvals(joining.slice(0, 3), '07/2025') }, []],
			[9, { hrfood4: [...joining, ...joined] }, joined],
		],
	},
	'Food and liquor, of one county': {
		parameters: { eventTypes: ['new_filing'], filters: { counties: ['Orange'] } },
		files: { hrfood1: many, bd4006lic: [...bars(200), early] },
		steps: [
			[
				7,
				{
					hrfood1: [...many, ...fresh.slice(0, 40), inOrange],
					bd4006lic: [...bars(200), early, ...newBars],
				},
				[...newBars, inOrange],
			],
		],
	},
	'Owner changes, before chgownr_food names them and after': {
		parameters: { eventTypes: ['ownership_transfer'] },
		files: { hrfood1: many, chgownr_food: [] },
		steps: [
			[7, { hrfood1: [...transfers, ...many.slice(30)] }, transfers],
			[9, { chgownr_food: named }, []],
		],
	},
};

it.each(Object.entries(HISTORIES))('%s come once', async (_, history) => await follow(history));
