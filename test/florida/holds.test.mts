import { expect, it } from 'vitest';

import { Days, food, foods, holder, number, reissued, type Fields } from './state-files.mts';

const many = foods(100);
const added = food(number('SEA23', 1100));
const others = (rows: Fields[], count: number): Fields[] =>
	rows.map((row, at) => (at < count ? { ...row, 'Licensee Name': holder(500 + at) } : row));

it.each<[string, Fields[], RegExp]>([
	['over 3 % fewer rows', many.slice(4), /96 rows where there were 100/],
	[
		'a fifth of all holders changed',
		others(many, 21),
		/21 of 100 licenses are missing, or have another holder/,
	],
	['other licenses in their place', foods(100, 3000, 'SEA60'), /100 of 100 licenses are missing/],
])('A file with %s adds, and ends nothing until another one agrees', async (_, rows, why) => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	const first = await days.refresh('2025-07-08', {
		hrfood1: [...rows, added].slice(rows.length > 99 ? 0 : 1),
	});
	expect(first.held).toEqual([{ source: 'hrfood1', why: expect.stringMatching(why) as string }]);
	const { cancellation, ownership_transfer, new_filing } = first.events;
	expect([cancellation, ownership_transfer, new_filing > 0]).toEqual([0, 0, true]);
	// The last good file stays, with its day.
	expect(first.sources).toMatchObject([{ day: '2025-07-01', rows: 100 }]);

	const again = await days.refresh('2025-07-09', {
		hrfood1: [...rows, added].slice(rows.length > 99 ? 0 : 1),
	});
	expect([again.held.length, again.events.cancellation]).toEqual([1, 0]);

	const agreeing = reissued([...rows, added].slice(rows.length > 99 ? 0 : 1), '2');
	const second = await days.refresh('2025-07-15', { hrfood1: agreeing });
	expect(second.held).toEqual([]);
	const { cancellation: ended, ownership_transfer: transfers } = second.events;
	expect(ended + transfers).toBeGreaterThan(4);
	expect(second.sources).toMatchObject([{ day: '2025-07-15' }]);
});

it('Half a file, and then a whole one again, lose nothing', async () => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	expect((await days.refresh('2025-07-08', { hrfood1: many.slice(60) })).held).toHaveLength(1);
	const whole = await days.refresh('2025-07-15', { hrfood1: reissued(many, '2') });
	expect([whole.held, whole.licenses]).toEqual([[], 100]);
	expect((await days.refresh('2025-07-22', { hrfood1: many })).events.cancellation).toBe(0);
});

it('Of two halves, only what both lack has ended', async () => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	await days.refresh('2025-07-08', { hrfood1: many.slice(0, 40) });
	const other = await days.refresh('2025-07-15', { hrfood1: reissued(many.slice(60), '2') });
	expect([other.events.cancellation, other.pending.gone]).toEqual([20, 40]);
});

it('Two files that are doubted for different reasons do not agree', async () => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	await days.refresh('2025-07-08', { hrfood1: many.slice(60) });
	const { held, events } = await days.refresh('2025-07-15', { hrfood1: others(many, 30) });
	expect([held.length, events.ownership_transfer]).toEqual([1, 0]);
});

it('The user may accept what is held', async () => {
	const days = new Days();
	const rows = reissued(others(many, 30), '2');
	await days.refresh('2025-07-01', { hrfood1: many });
	await days.refresh('2025-07-08', { hrfood1: rows });
	const { events, held } = await days.refresh(
		'2025-07-08',
		{ hrfood1: rows },
		{ accept: ['hrfood1'] },
	);
	expect([events.ownership_transfer, held]).toEqual([30, []]);
});

it('A file that shrinks week by week is held at half of the first one', async () => {
	const days = new Days();
	let rows = many;
	for (let week = 0; ; week++) {
		const day = new Date(Date.UTC(2025, 0, 1 + 7 * week)).toISOString().slice(0, 10);
		const { held } = await days.refresh(day, { hrfood1: reissued(rows, String(week)) });
		expect(held).toHaveLength(rows.length < 50 ? 1 : 0);
		if (held.length > 0) break;
		rows = rows.slice(rows.length - Math.ceil(rows.length * 0.97));
	}
});

it('An older file that comes again takes nothing back', async () => {
	const days = new Days();
	const now = others(many, 1);
	await days.refresh('2025-07-01', { hrfood1: many });
	await days.refresh('2025-07-08', { hrfood1: now });
	let transfers = 0;
	for (const [at, rows] of [many, now, many, now].entries())
		transfers += (await days.refresh(`2025-07-1${at}`, { hrfood1: rows })).events
			.ownership_transfer;
	expect([transfers, (await days.known(number('SEA23', 1000)))?.holder]).toEqual([0, holder(500)]);
});
