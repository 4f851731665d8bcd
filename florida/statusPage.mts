import { overview } from './acceptFiles.mts';
import { daysAfter } from './days.mts';
import { count } from './licensesInFile.mts';
import { isReady, type Snapshot } from './memory.mts';

export const DISCLAIMER =
	"Unofficial: not affiliated with the State of Florida, and experimental. It has been tested on files and never on the state's live site. Everything is as of the day of the state's file: check a license with the state before you act. You are responsible for how you contact people.";

/** What the service does at the moment, besides what it remembers. */
export interface Activity {
	lastRefresh: string | null;
	/** Why the last refresh did not succeed. */
	failure: string | null;
}

/**
 * Counts and dates alone: nobody's name, since it is shown without a key. It is what helps with what nobody knows yet
 * about the files, too.
 */
export function statusOf(snapshot: Snapshot, activity: Activity) {
	const { day, licenses } = overview(snapshot);
	const { sources, refused } = snapshot;
	const names = Object.keys({ ...sources, ...refused });
	const codes: Record<string, Record<string, number>> = {};
	const events: Record<string, number> = {};
	const eventsOfSevenDays: Record<string, number> = {};
	const since = day === null ? '' : daysAfter(day, -7);
	for (const { source, codes: own, event, at } of snapshot.licenses.values()) {
		count((codes[source.replace(/\d$/, '')] ??= {}), own);
		if (event !== null) count(events, `${event} ${at}`);
		if (event !== null && at! > since) count(eventsOfSevenDays, event);
	}
	return {
		...{ isReady: isReady(snapshot), day, licenses, ...activity, eventsOfSevenDays },
		sources: names.map((name) => ({ name, ...sources[name], refused: refused[name] })),
		...{ disclaimer: DISCLAIMER, codes, events },
	};
}

const escaped = (text: string): string =>
	text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const row = (...cells: Array<string | number | undefined>): string =>
	`<tr>${cells.map((cell) => `<td>${escaped(String(cell ?? ''))}</td>`).join('')}</tr>\n`;

export function pageOf(status: ReturnType<typeof statusOf>): string {
	const { isReady, licenses, day, failure, eventsOfSevenDays, disclaimer } = status;
	const events = Object.entries(eventsOfSevenDays).map(([event, number]) =>
		row(event.replace('_', ' '), number),
	);
	const sources = status.sources.map(({ name, day, rows, hash, held, refused }) => {
		const trouble = [held && `held: ${held.why}`, refused && `refused: ${refused}`];
		return row(name, day, rows, hash?.slice(0, 12), trouble.filter(Boolean).join('; '));
	});
	const state = isReady
		? `${licenses} licenses, as of the file of ${day}.`
		: "The state's files have not been read yet.";
	const trouble = failure && `<p><b>The last refresh did not succeed:</b> ${escaped(failure)}</p>`;
	return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Florida's licenses</title>
<style>body{font:16px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;margin:1em 0}
td,th{border:1px solid #bbb;padding:.3em .7em;text-align:left}</style>
<h1>Florida's licenses</h1><p>${state}</p>${trouble ?? ''}
<h2>Events of the last seven days</h2><table>${events.join('') || row('none', '')}</table>
<h2>The state's files</h2>
<table><tr><th>File</th><th>Day</th><th>Rows</th><th>SHA-256</th><th>Held or refused</th></tr>${sources.join('')}</table>
<p>${escaped(disclaimer)}</p><p><a href="/status">The same as JSON</a></p></html>
`;
}
