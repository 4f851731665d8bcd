import { daysAfter } from './calendar.mts';
import { count } from './rows.mts';
import type { Memory } from './memory.mts';
import { overview } from './refresh.mts';

export const DISCLAIMER =
	"Unofficial: not affiliated with the State of Florida, and experimental. It has been tested on files and never on the state's live site. Everything is as of the day of the state's file: check a license with the state before you act. How you contact people is your duty.";

/** What the service does at the moment, besides what it remembers. */
export interface Activity {
	lastRefresh: string | null;
	/** Why the last refresh did not succeed. */
	failure: string | null;
}

/** Counts and dates alone: nobody's name, since it is shown without a key. */
export function statusOf(memory: Memory, activity: Activity) {
	const { day, sources, licenses } = overview(memory);
	const { state, kept } = memory;
	const week: Record<string, number> = {};
	const since = day === null ? '' : daysAfter(day, -7);
	for (const { event, at } of kept.values()) if (event !== null && at! > since) count(week, event);
	const names = new Set([...sources.map(({ name }) => name), ...Object.keys(state.refused)]);
	return {
		isReady: state.isReady,
		...{ day, licenses, ...activity, eventsOfSevenDays: week },
		sources: [...names].map((name) => {
			const source = state.sources[name];
			return {
				...{ name, day: source?.day ?? null, hash: source?.hash ?? null },
				...{ rows: source?.rows ?? null, leftOut: source?.leftOut ?? {} },
				...{ unknownCodes: source?.unknownCodes ?? {}, held: source?.held?.why ?? null },
				refused: state.refused[name] ?? null,
			};
		}),
		disclaimer: DISCLAIMER,
	};
}

/** What helps with what nobody knows yet about the files: counts alone. */
export function reportOf(memory: Memory) {
	const codes: Record<string, Record<string, number>> = {};
	const events: Record<string, number> = {};
	for (const { source, codes: own, event, at } of memory.kept.values()) {
		count((codes[source.replace(/\d$/, '')] ??= {}), own);
		if (event !== null) count(events, `${event} ${at}`);
	}
	const { disclaimer: _, ...status } = statusOf(memory, { lastRefresh: null, failure: null });
	return { ...status, codes, events };
}

const escaped = (text: string): string =>
	text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const row = (cells: Array<string | number | null>): string =>
	`<tr>${cells.map((cell) => `<td>${escaped(String(cell ?? ''))}</td>`).join('')}</tr>`;

export function pageOf(status: ReturnType<typeof statusOf>): string {
	const events = Object.entries(status.eventsOfSevenDays).map(([event, number]) =>
		row([event.replace('_', ' '), number]),
	);
	const sources = status.sources.map(({ name, day, rows, hash, held, refused }) =>
		row([
			...[name, day, rows, hash?.slice(0, 12) ?? null],
			[held && `held: ${held}`, refused && `refused: ${refused.why}`].filter(Boolean).join('; '),
		]),
	);
	const state = status.isReady
		? `${status.licenses} licenses, as of the file of ${status.day}.`
		: "The state's files have not been read yet.";
	return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Florida's licenses</title>
<style>body{font:16px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;margin:1em 0}
td,th{border:1px solid #bbb;padding:.3em .7em;text-align:left}</style>
<h1>Florida's licenses</h1><p>${state}</p>
${status.failure === null ? '' : `<p><b>The last refresh did not succeed:</b> ${escaped(status.failure)}</p>`}
<h2>Events of the last seven days</h2>
<table>${events.join('\n') || row(['none', ''])}</table>
<h2>The state's files</h2>
<table><tr><th>File</th><th>Day</th><th>Rows</th><th>SHA-256</th><th>Held or refused</th></tr>
${sources.join('\n')}</table>
<p>${escaped(status.disclaimer)}</p><p><a href="/status">The same as JSON</a></p></html>
`;
}
