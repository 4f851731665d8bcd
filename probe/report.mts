import { readFileSync } from 'node:fs';

import { ROWS, UNKNOWN, type Finding } from './rows.mts';
import type { Survey } from './survey.mts';

const TRIGGER = new URL('../docs/trigger.md', import.meta.url);

/** The promises of docs/trigger.md, by their numbers there. */
function promises(): Map<number, string> {
	const headings = readFileSync(TRIGGER, 'utf8').matchAll(/^### (\d+)\. (.+)$/gm);
	return new Map([...headings].map(([, number, promise = '']) => [Number(number), promise]));
}

const LONGEST_CELL = 1_000;

/** Everything that is found out, as Markdown. A service may repeat the key in any cell. */
export function report(seen: Survey, redact: (text: string) => string): string {
	const cell = (text: string): string =>
		redact(text).slice(0, LONGEST_CELL).replaceAll('|', '\\|').replace(/\s+/g, ' ');
	const found = ROWS.map(({ asked, find }) => ({ asked, ...find(seen) }));
	return [
		'| Asked | What the service does | What that means for the nodes |',
		'| --- | --- | --- |',
		...found.map(({ asked, does, means }) => `| ${asked} | ${cell(does)} | ${cell(means)} |`),
		'',
		...brokenPromises(found),
		'',
		`${seen.requests} requests.`,
	].join('\n');
}

function brokenPromises(found: Array<Finding & { asked: string }>): string[] {
	const known = promises();
	const causes = new Map<number, string[]>();
	for (const { asked, breaks = [] } of found)
		for (const number of breaks) causes.set(number, [...(causes.get(number) ?? []), asked]);
	const open = found.filter(({ means }) => means === UNKNOWN).map(({ asked }) => asked);
	const notFound = open.length > 0 ? ` Still unknown: ${open.join(' ')}` : '';
	if (causes.size === 0)
		return [`Every promise of docs/trigger.md holds, as far as these answers show.${notFound}`];
	return [
		'On this service, these promises of docs/trigger.md hold only with limits:',
		'',
		...[...causes]
			.sort(([a], [b]) => a - b)
			.map(([number, asked]) => `${number}. ${known.get(number)} (${asked.join(' ')})`),
	];
}
