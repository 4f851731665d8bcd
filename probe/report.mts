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
/** A shell reads 1 as a crash. */
const OTHER_LIMIT = 2;
const FIRST_PROMISE = 10;

export interface FoundRow extends Finding {
	asked: string;
}

/** Everything that is found out. A service may repeat the key in any of it. */
export const rowsOf = (seen: Survey, redact: (text: string) => string): FoundRow[] =>
	ROWS.map(({ asked, find }) => {
		const { does, means, breaks = [] } = find(seen);
		const cell = (text: string) => redact(text).slice(0, LONGEST_CELL);
		return { asked, does: cell(does), means: cell(means), breaks };
	});

/** Ten more than the lowest number of a promise that does not hold; 2 for other limits, and else 0. */
export function exitCode(rows: FoundRow[]): number {
	const broken = rows.flatMap(({ breaks = [] }) => breaks);
	if (broken.length > 0) return FIRST_PROMISE + Math.min(...broken);
	return rows.some(({ means }) => means.startsWith('a limit')) ? OTHER_LIMIT : 0;
}

/** The report as Markdown. */
export function report(rows: FoundRow[], requests: number): string {
	const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
	return [
		'| Asked | What the service does | What that means for the nodes |',
		'| --- | --- | --- |',
		...rows.map(({ asked, does, means }) => `| ${asked} | ${cell(does)} | ${cell(means)} |`),
		'',
		...brokenPromises(rows),
		'',
		`${requests} requests.`,
	].join('\n');
}

function brokenPromises(found: FoundRow[]): string[] {
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
