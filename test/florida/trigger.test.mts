import type { IDataObject } from 'n8n-workflow';
import { beforeEach, expect, it, vi } from 'vitest';

import { FloridaRegister } from '../../florida/register.mts';
import { documented } from '../../server/answers.mts';
import { cursorOf, limitIn, positionIn, queryIn } from '../../server/query.mts';
import { DAY, ListedTrigger, useClock } from '../support/listed-trigger.mts';
import {
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

/** A trigger, as n8n's own context runs it, on what is made of the state's files. */
class Watched {
	readonly days = new Days();
	readonly trigger: ListedTrigger;
	private register: FloridaRegister | undefined;

	constructor(parameters: IDataObject = { eventTypes: ['new_filing'] }) {
		this.trigger = new ListedTrigger([], parameters);
		this.trigger.answer = (query) => ({ status: 200, body: this.answer(query) });
	}

	private answer(query: Record<string, string>): object {
		const limit = limitIn(query, 10, 50);
		const page = this.register!.page(queryIn(query), positionIn(query), limit);
		const cursor = page.next && cursorOf(page.next);
		return documented.pages({ data: page.data, cursor, total: page.total, limit });
	}

	/** New files, so many days after the first ones. */
	async refresh(after: number, files: Record<string, Content>): Promise<void> {
		const time = Date.parse(`${FIRST}T12:00:00Z`) + after * DAY;
		vi.setSystemTime(Math.max(time, Date.now()));
		await this.days.refresh(new Date(time).toISOString().slice(0, 10), files);
		this.register = new FloridaRegister({ snapshot: await this.days.open() });
	}

	/** Published on the first day: nothing of the baseline may come. */
	async publish(files: Record<string, Content>): Promise<void> {
		await this.refresh(0, files);
		expect(await this.trigger.publish()).toEqual([]);
		expect(await this.trigger.polls(3)).toEqual([]);
	}

	/** What comes in the hours after a refresh. */
	async polls(): Promise<string[]> {
		const came = await this.trigger.polls(30);
		expect(this.trigger.failures).toEqual([]);
		return came.sort();
	}
}

const many = foods(400);
/** More than one day ever brought: 176 in ten days of 2025. */
const newcomers = (count: number, series = 'SEA23', from = 1400): Fields[] =>
	Array.from({ length: count }, (_, at) =>
		food(number(series, from + at), { 'Licensee Name': holder(1000 + at) }),
	);
const numbersOf = (rows: Fields[]): string[] => rows.map((row) => row['License Number']!).sort();
const approvals = (rows: Fields[], date: string): Fields[] =>
	numbersOf(rows).map((one) => dated(one, date));

it('Every new filing comes once, before newfood dates it and after', async () => {
	const watched = new Watched();
	await watched.publish({ hrfood1: many });
	const fresh = newcomers(176);
	await watched.refresh(10, { hrfood1: [...many, ...fresh] });
	expect(await watched.polls()).toEqual(numbersOf(fresh));
	await watched.refresh(12, { newfood: approvals(fresh, '07/03/2025') });
	expect(await watched.polls()).toEqual([]);
	await watched.refresh(14, { hrfood1: reissued([...many, ...fresh], '2') });
	expect(await watched.polls()).toEqual([]);
});

it('New filings that newfood dates from the beginning come once', async () => {
	const watched = new Watched();
	await watched.publish({ hrfood1: many, newfood: approvals(many.slice(0, 3), '07/01/2025') });
	const fresh = newcomers(120);
	await watched.refresh(10, {
		hrfood1: [...many, ...fresh],
		newfood: fresh.map((row, at) => dated(row['License Number']!, `07/0${1 + (at % 9)}/2025`)),
	});
	expect(await watched.polls()).toEqual(numbersOf(fresh));
});

it('What was filed during a month without a refresh comes once', async () => {
	const watched = new Watched();
	await watched.publish({ hrfood1: many });
	const fresh = newcomers(90);
	await watched.refresh(31, { hrfood1: [...many, ...fresh] });
	expect(await watched.polls()).toEqual(numbersOf(fresh));
});

it('1 July, on which newfood starts over, brings nothing again', async () => {
	const watched = new Watched();
	await watched.publish({ hrfood1: many });
	const [spring, summer] = [newcomers(20), newcomers(5, 'SEA23', 1420)];
	await watched.refresh(330, {
		hrfood1: [...many, ...spring],
		newfood: approvals(spring, '05/20/2026'),
	});
	expect(await watched.polls()).toEqual(numbersOf(spring));
	await watched.refresh(366, {
		hrfood1: [...many, ...spring, ...summer],
		newfood: approvals(summer, '07/01/2026'),
	});
	expect(await watched.polls()).toEqual(numbersOf(summer));
});

it('A district that joins on the third day brings nothing of its own baseline', async () => {
	const watched = new Watched();
	await watched.publish({ hrfood1: many });
	await watched.refresh(1, { hrfood1: reissued(many, '2') });
	const joining = foods(200, 1, 'SEA60');
	await watched.refresh(2, {
		hrfood4: joining,
		newfood: approvals(joining.slice(0, 50), '07/01/2025'),
	});
	expect(await watched.polls()).toEqual([]);
	const fresh = newcomers(7, 'SEA60', 201);
	await watched.refresh(9, { hrfood4: [...joining, ...fresh] });
	expect(await watched.polls()).toEqual(numbersOf(fresh));
});

it('Food and liquor, of one county, come once', async () => {
	const watched = new Watched({ eventTypes: ['new_filing'], filters: { counties: ['Orange'] } });
	const bars = Array.from({ length: 200 }, (_, at) =>
		liquor(number('BEV58', 5000 + at), { 'Owner Name': holder(at) }),
	);
	const fresh = liquor(number('BEV58', 5200), { 'Original Licensure Date': '06/20/2025' });
	await watched.publish({ hrfood1: many, bd4006lic: [...bars, fresh] });
	const temporary = { 'Primary Status': '21', 'Original Licensure Date': '07/05/2025' };
	const newBars = Array.from({ length: 30 }, (_, at) =>
		liquor(number('BEV58', 5201 + at), { ...temporary, 'Owner Name': holder(500 + at) }),
	);
	const inOrange = food('SEA5800007', {
		'Location County Code': '58',
		'Licensee Name': holder(900),
	});
	await watched.refresh(7, {
		hrfood1: [...many, ...newcomers(40), inOrange],
		bd4006lic: [...bars, fresh, ...newBars],
	});
	expect(await watched.polls()).toEqual([...numbersOf(newBars), 'SEA5800007'].sort());
});

it('An owner change comes once, under its new holder', async () => {
	const watched = new Watched({ eventTypes: ['ownership_transfer'] });
	await watched.publish({ hrfood1: many, chgownr_food: [] });
	const now = many.map((row, at) =>
		at < 30 ? { ...row, 'Licensee Name': holder(2000 + at) } : row,
	);
	await watched.refresh(7, { hrfood1: now });
	expect(await watched.polls()).toEqual(numbersOf(now.slice(0, 30)));
	const named = now.slice(0, 30).map((row) => dated(row['License Number']!, '07/02/2025', row));
	await watched.refresh(9, { chgownr_food: named });
	expect(await watched.polls()).toEqual([]);
});
