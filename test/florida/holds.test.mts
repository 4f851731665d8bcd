import { Days, foods, holder, reissued, transferred, type Fields } from './made-up-files.mts';

const many = foods(100);
const [added] = foods(1, 1100) as [Fields];
const others = (count: number) => [...transferred(many.slice(0, count)), ...many.slice(count)];

it.each<[string, Fields[], RegExp]>([
	['over 3 % fewer rows', [...many.slice(5), added], /96 rows where there were 100/],
	['a fifth of all holders changed', [...others(21), added], /^21 of 100 .* another holder/],
	['other licenses in their place', foods(101, 3000, 'SEA60'), /^100 of 100 licenses are missing/],
])('A file with %s adds, and ends nothing until another one agrees', async (_, rows, why) => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	const first = await days.refresh('2025-07-08', { hrfood1: rows });
	expect(first.held).toEqual([{ source: 'hrfood1', why: expect.stringMatching(why) as string }]);
	const { cancellation, ownership_transfer, new_filing } = first.events;
	expect([cancellation, ownership_transfer, new_filing > 0]).toEqual([0, 0, true]);
	// The last good file stays, with its day.
	expect(first.sources).toMatchObject([{ day: '2025-07-01', rows: 100 }]);

	const again = await days.refresh('2025-07-09', { hrfood1: rows });
	expect([again.held.length, again.events.cancellation]).toEqual([1, 0]);

	const second = await days.refresh('2025-07-15', { hrfood1: reissued(rows, '2') });
	expect(second.held).toEqual([]);
	expect(second.events.cancellation + second.events.ownership_transfer).toBeGreaterThan(4);
	expect(second.sources).toMatchObject([{ day: '2025-07-15' }]);
});

it.each([
	['a whole one', many.slice(60), many, [0, 0, 0, 0]],
	['the other half, ends what both lack', many.slice(0, 40), many.slice(60), [0, 20, 40, 0]],
	['one doubted for another reason', many.slice(60), foods(100, 1, 'SEA60'), [1, 0, 40, 0]],
])('Half a file, and then %s', async (_, half, next, expected) => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	expect((await days.refresh('2025-07-08', { hrfood1: half })).held).toHaveLength(1);
	const { events, pending, held } = await days.refresh('2025-07-15', {
		hrfood1: reissued(next, '2'),
	});
	const { cancellation, ownership_transfer } = events;
	expect([held.length, cancellation, pending.gone, ownership_transfer]).toEqual(expected);
	const last = await days.refresh('2025-07-22', { hrfood1: many });
	expect(last.events.cancellation).toBe(0);
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
	const now = others(1);
	await days.refresh('2025-07-01', { hrfood1: many });
	await days.refresh('2025-07-08', { hrfood1: now });
	let transfers = 0;
	for (const [at, rows] of [many, now, many, now].entries()) {
		const { events } = await days.refresh(`2025-07-1${at}`, { hrfood1: rows });
		transfers += events.ownership_transfer;
	}
	expect([transfers, (await days.known('SEA2301000'))?.holder]).toEqual([0, holder(0)]);
});
