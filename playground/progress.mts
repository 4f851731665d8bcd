const clock = (milliseconds: number) => {
	const seconds = Math.round(milliseconds / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** A terminal gets one line that is rewritten; a log gets a line now and then. */
const interval = process.stdout.isTTY ? 1000 : 30_000;

export type Measure = () => Promise<string> | string;

/** Runs a long step, showing how long it has taken so far and what `measure` says about it. */
export async function step<T>(
	name: string,
	work: () => Promise<T>,
	measure: Measure = () => '',
): Promise<T> {
	const started = Date.now();
	const show = (text: string, last = false) => {
		if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  ${text}${last ? '\n' : ''}`);
		else console.log(`  ${text}`);
	};
	show(`${name} …`);
	const timer = setInterval(() => {
		void Promise.resolve(measure()).then((measured) => {
			show(`${name} … ${clock(Date.now() - started)}${measured && `, ${measured}`}`);
		});
	}, interval);
	try {
		const result = await work();
		show(`${name}: done in ${clock(Date.now() - started)}`, true);
		return result;
	} catch (error) {
		show(`${name}: stopped after ${clock(Date.now() - started)}`, true);
		throw error;
	} finally {
		clearInterval(timer);
	}
}
