import { dayOf } from './calendar.mts';
import { fetchFile, type FetchOptions } from './fetch.mts';
import { readText, writeText } from './files.mts';

const MINUTE = 60_000;
/** Before each try. */
const WAITS = [0, 5 * MINUTE, 30 * MINUTE];

/** When each file was asked for, so that a service that is started again and again asks once a day all the same. */
type Asked = Record<
	string,
	{ at: string; tries: number; isDone: boolean; lastModified?: string | undefined }
>;

export interface Round extends Omit<FetchOptions, 'lastModified'> {
	/** Where the files go. */
	folder: string;
	/** Where it is written down what has been asked. */
	memory: string;
	say: (line: string) => void;
	wait: (milliseconds: number) => Promise<unknown>;
	now?: () => number;
}

const readAsked = async (path: string): Promise<Asked> =>
	JSON.parse((await readText(path)) ?? '{}') as Asked;

const write = async (path: string, asked: Asked): Promise<void> =>
	await writeText(path, JSON.stringify(asked));

const isToday = (at: string, now: number): boolean => dayOf(Date.parse(at)) === dayOf(now);

/** The sources that may be asked for today. */
export async function due(
	names: readonly string[],
	memory: string,
	now: number,
): Promise<string[]> {
	const asked = await readAsked(memory);
	return names.filter((name) => {
		const last = asked[name];
		return !last || !isToday(last.at, now) || (!last.isDone && last.tries < WAITS.length);
	});
}

/** Asks for files, one after another, and again for those that failed. Says why one did not come. */
export async function fetchDue(
	names: readonly string[],
	round: Round,
): Promise<Record<string, string>> {
	const { memory, say, now = Date.now } = round;
	const asked = await readAsked(memory);
	const refused: Record<string, string> = {};
	let open = [...names];
	for (const [index, pause] of WAITS.entries()) {
		if (open.length === 0) break;
		if (index > 0) say(`Trying ${open.join(', ')} again in ${pause / MINUTE} minutes.`);
		await round.wait(pause);
		const failed: string[] = [];
		for (const name of open) {
			const before = asked[name];
			const tries = before && isToday(before.at, now()) ? before.tries : 0;
			if (tries >= WAITS.length) continue;
			const entry: Asked[string] = {
				...before,
				at: new Date(now()).toISOString(),
				tries: tries + 1,
				isDone: false,
			};
			asked[name] = entry;
			// Before it is asked, so that being stopped makes nobody ask more often.
			await write(memory, asked);
			const fetched = await fetchFile(name, round.folder, {
				...round,
				lastModified: before?.lastModified,
			});
			entry.isDone = fetched.kind !== 'failed';
			delete refused[name];
			if ('why' in fetched)
				refused[name] = `was not fetched: ${fetched.why}. ${adviceFor(name, round)}`;
			if (fetched.kind === 'failed') failed.push(name);
			if (fetched.kind === 'file') entry.lastModified = fetched.lastModified;
			say(
				`${name}: ${fetched.kind === 'file' ? `${fetched.bytes} bytes` : 'why' in fetched ? fetched.why : 'not changed'}`,
			);
			await write(memory, asked);
		}
		open = failed;
	}
	return refused;
}

/** A file that could not be used is asked for again, whether it has changed or not. */
export async function forgetDates(names: readonly string[], memory: string): Promise<void> {
	const asked = await readAsked(memory);
	for (const name of names) delete asked[name]?.lastModified;
	await write(memory, asked);
}

const adviceFor = (name: string, { address }: Round): string =>
	`Download ${address}${name}.csv in a browser, put it into a folder, and start with --files and that folder`;
