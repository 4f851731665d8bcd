import type { IDataObject } from 'n8n-workflow';

import { FloridaRegister } from '../../florida/register.mts';
import { DAY } from '../../nodes/LicensingData/licenses/time.ts';
import { documented } from '../../server/answers.mts';
import { cursorOf, limitIn, positionIn, queryIn } from '../../server/query.mts';
import { ListedTrigger, useClock } from '../support/listed-trigger.mts';
import {
	bars,
	dated,
	Days,
	food,
	foods,
	liquor,
	number,
	reissued,
	transferred,
	type Content,
	type Fields,
} from './made-up-files.mts';

const FIRST = Date.parse('2025-07-01T12:00:00Z');

/** By days after the publishing, new files, and which licenses then come. */
type Steps = Record<number, [files: Record<string, Content>, comes: Fields[]]>;

/** A trigger, as n8n's own context runs it, on what is made of the state's files. */
async function follow(parameters: IDataObject, steps: Steps) {
	useClock(FIRST);
	const days = new Days();
	let register: FloridaRegister;
	const trigger = new ListedTrigger([], parameters);
	trigger.answer = (query) => {
		const limit = limitIn(query);
		const page = register.page(queryIn(query), positionIn(query), limit);
		const cursor = page.next && cursorOf(page.next);
		const body = documented.pages({ data: page.data, cursor, total: page.total, limit });
		return { status: 200, body };
	};
	for (const [after, [files, comes]] of Object.entries(steps)) {
		const time = FIRST + Number(after) * DAY;
		vi.setSystemTime(Math.max(time, Date.now()));
		await days.refresh(new Date(time).toISOString().slice(0, 10), files);
		register = new FloridaRegister({ snapshot: await days.open() });
		const published = after === '0' ? await trigger.publish() : [];
		expect([...published, ...(await trigger.polls(30))].sort()).toEqual(numbersOf(comes));
		expect(trigger.failures).toEqual([]);
	}
}

const numbersOf = (rows: Fields[]): string[] => rows.map((row) => row['License Number']!).sort();
/** Approved over nine days. */
const approvals = (rows: Fields[], month: string): Fields[] =>
	numbersOf(rows).map((one, at) => dated(one, month.replace('/', `/0${1 + (at % 9)}/`)));

const many = foods(400);
/** More than one day ever brought: 176 in ten days of 2025. */
const fresh = foods(176, 1400);
const [spring, summer] = [foods(20, 1400), foods(5, 1420)];
const joining = foods(200, 1, 'SEA60');
const joined = foods(7, 201, 'SEA60');
const newBars = bars(30, 5201).map((row) => ({
	...{ ...row, 'Primary Status': '21', 'Original Licensure Date': '07/05/2025' },
}));
const early = liquor(number('BEV58', 5200), { 'Original Licensure Date': '06/20/2025' });
const inOrange = food('SEA5800007', { 'Location County Code': '58' });
const transfers = transferred(many.slice(0, 30));
const named = transfers.map((row) => dated(row['License Number']!, '07/02/2025', row));

const eventTypes = ['new_filing'];
const HISTORIES: Record<string, [parameters: IDataObject, steps: Steps]> = {
	'New filings after a month without a refresh, before newfood dates them and after': [
		{ eventTypes },
		{
			0: [{ hrfood1: many }, []],
			31: [{ hrfood1: [...many, ...fresh] }, fresh],
			33: [{ newfood: approvals(fresh, '07/2025') }, []],
			35: [{ hrfood1: reissued([...many, ...fresh], '2') }, []],
		},
	],
	'New filings before and after 1 July, on which newfood starts over': [
		{ eventTypes },
		{
			0: [{ hrfood1: many }, []],
			330: [{ hrfood1: [...many, ...spring], newfood: approvals(spring, '05/2026') }, spring],
			371: [
				{ hrfood1: [...many, ...spring, ...summer], newfood: approvals(summer, '07/2026') },
				summer,
			],
		},
	],
	'What is new in a district that joins on the third day': [
		{ eventTypes },
		{
			0: [{ hrfood1: many }, []],
			2: [{ hrfood4: joining, newfood: approvals(joining.slice(0, 3), '07/2025') }, []],
			9: [{ hrfood4: [...joining, ...joined] }, joined],
		},
	],
	'Food and liquor, of one county': [
		{ eventTypes, filters: { counties: ['Orange'] } },
		{
			0: [{ hrfood1: many, bd4006lic: [...bars(200), early] }, []],
			7: [
				{
					hrfood1: [...many, ...fresh.slice(0, 40), inOrange],
					bd4006lic: [...bars(200), early, ...newBars],
				},
				[...newBars, inOrange],
			],
		},
	],
	'Owner changes, before chgownr_food names them and after': [
		{ eventTypes: ['ownership_transfer'] },
		{
			0: [{ hrfood1: many, chgownr_food: [] }, []],
			7: [{ hrfood1: [...transfers, ...many.slice(30)] }, transfers],
			9: [{ chgownr_food: named }, []],
		},
	],
};

it.each(Object.entries(HISTORIES))('%s come once', async (_, history) => await follow(...history));
