import { filed, listed, ListedTrigger, useClock } from '../support/listed-trigger.mts';
import { triggerAnew } from '../support/nodes.mts';
import { Database, type Poller, Run } from '../support/poller.mts';

/** More than a page, so that a poll reads twice; it stops before and after each request, and before n8n saves. */
const BACKLOG = 60;
const moments = [0, 1, 2, 3, 4, 5, 6];
/** How far another poll gets meanwhile. Whatever lies between two of these changes nothing that is saved. */
const heads = [0, 3, 6];

// What n8n is still saving counts as saved after a while, and here that while never ends.
beforeEach(() => useClock());

type Pair = Awaited<ReturnType<typeof pair>>;

/** Two n8n processes, which share no variables, and a backlog for whichever comes first. */
async function pair() {
	const database = new Database();
	const records = listed(30);
	const start = async (): Promise<Poller> => {
		const nodeType = await triggerAnew(database);
		return new ListedTrigger(records, {}, { saving: 'durable', database, nodeType }).poller;
	};
	const [first, second] = [await start(), await start()];
	await first.poll();
	const news: string[] = [];
	const file = (count: number) => {
		for (let left = count; left > 0; left--) {
			news.push(`lic_new${news.length}`);
			records.unshift(filed(`new${news.length - 1}`));
		}
	};
	file(BACKLOG);
	return { first, second, file, news, database };
}

/** Both go on for long enough to find whatever is left. */
async function expectOnce({ first, second, file, news, database }: Pair): Promise<void> {
	for (const poller of [second, first, second, first]) {
		file(1);
		await poller.poll();
	}
	await second.poll();
	expect([...database.emitted].sort()).toEqual([...news].sort());
}

/** A poll stands still at a moment while another gets as far as each of its own; then both go on. */
async function interleave(
	moment: number,
	startOther: (both: Pair, run: Run) => ReturnType<Poller['start']>,
) {
	for (const head of heads) {
		const both = await pair();
		const run = new Run();
		const goOn = both.first.start(run);
		await goOn(moment);
		const other = startOther(both, run);
		await other(head);
		await goOn();
		await other();
		await expectOnce(both);
	}
}

it('A poll stops at every moment', async () => {
	const goOn = (await pair()).first.start();
	for (const moment of moments) expect(await goOn(moment && 1)).toBe(moment === moments.at(-1));
});

describe.each(moments)('With durable cursors, every event comes once at moment %i', (moment) => {
	it('where an instance dies and another takes over', async () => {
		const both = await pair();
		const run = new Run();
		await both.first.start(run)(moment);
		await both.second.start(run)();
		await expectOnce(both);
	});

	it('where an instance stalls, another takes over, and the first goes on at any time', async () => {
		await interleave(moment, ({ second, file }, run) => {
			const taking = second.start(run);
			file(1);
			return taking;
		});
	});

	it('where an instance starts the next poll meanwhile, as it does to catch up', async () => {
		await interleave(moment, ({ first }) => first.start());
	});
});
