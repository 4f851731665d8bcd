import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

import type { PollFeed } from './feed-player.mts';

const ROOM = join(import.meta.dirname, '../../nodes/LicensingData/feed');

/** What stands in a file, exactly once, and what stands there instead. */
interface Edit {
	file: 'event' | 'memory' | 'poll' | 'state' | 'stretch';
	replace: string;
	by: string;
}

/** One way to get the feed wrong. */
export interface Mutant extends Edit {
	name: string;
	/** Shows only where more arrives than memory holds. */
	overflows?: true;
}

/** So little that short histories fill it. */
export const SMALL_MEMORY = { events: 40, bytes: 1400 };

export const smallMemory: Edit[] = [
	{
		file: 'memory',
		replace: 'CAPACITY = 3_700;',
		by: `CAPACITY = ${SMALL_MEMORY.events};`,
	},
	{ file: 'poll', replace: 'SMALLEST_FOUND = 500;', by: 'SMALLEST_FOUND = 12;' },
	{ file: 'poll', replace: 'SMALLEST_KNOWN = 500;', by: 'SMALLEST_KNOWN = 12;' },
];

export const mutants: Mutant[] = [
	{
		name: 'drops the tie handling',
		file: 'poll',
		replace: ' && last.time < reached',
		by: '',
	},
	{
		name: 'takes an event of a known moment for known',
		file: 'poll',
		replace: 'const isMet = known.has(hash) ||',
		by: 'const isMet = [...known.values()].includes(time) || known.has(hash) ||',
	},
	{
		name: 'stops at the first known event',
		file: 'poll',
		replace: 'const last = entries.findLast(({ timed }) => timed);',
		by: 'const last = entries.findLast(({ timed }) => timed);\nif (entries.some(({ hash }) => known.has(hash))) { end = "settled"; break; }',
	},
	{
		name: 'ignores the total',
		file: 'poll',
		replace: 'if (cursor === null) total = page.total ?? null;',
		by: '',
	},
	{
		name: 'forgets the gap on a failure',
		file: 'poll',
		replace: 'if (pages === 0) return unread;\n\t\t\tbreak;',
		by: "if (pages === 0) return unread;\n\t\t\tend = 'settled';\n\t\t\tbreak;",
	},
	{
		name: 'saves the state before a failed request',
		file: 'poll',
		replace: 'if (pages === 0) return unread;\n\t\t\tbreak;',
		by: 'if (pages === 0) return unread;\n\t\t\tnews.length = 0;\n\t\t\tbreak;',
	},
	{
		name: 'uses a cursor that the service has dropped',
		file: 'poll',
		replace: 'restarted = true;',
		by: 'restarted = true;\nif (pages === 0) return { failure: undefined };\nbreak;',
	},
	{
		name: 'takes a dropped cursor for the end of the list',
		file: 'poll',
		replace: 'restarted = true;',
		by: "restarted = true;\nend = 'floor';\nbreak;",
	},
	{
		name: 'never reads down to the floor again',
		file: 'poll',
		replace: 'full: state.polls >= POLLS_UNTIL_FULL',
		by: 'full: false',
	},
	{
		name: 'raises the floor after every scan',
		file: 'poll',
		replace: 'wentToFloor ? state.nextFloor : 0',
		by: 'windowStart(seen.values(), clock)',
	},
	{
		name: 'raises the floor at once instead of one full scan later',
		file: 'poll',
		replace: 'wentToFloor ? state.nextFloor : 0',
		by: 'wentToFloor ? windowStart(seen.values(), clock) : 0',
	},
	{
		name: 'lets the future drag the window along',
		file: 'poll',
		replace: 'if (time > newest && time <= now)',
		by: 'if (time > newest && time < UNDATED)',
	},
	{
		name: 'emits what was there at the start',
		file: 'poll',
		replace: '(startFrom ?? NEVER) : NEVER',
		by: '(startFrom ?? 0) : NEVER',
	},
	{
		name: 'floods after a change of the filters',
		file: 'poll',
		replace: '(startFrom ?? NEVER) : NEVER',
		by: '(startFrom ?? NEVER) : 0',
	},
	{
		name: 'is quiet for all of a first look that was left open',
		file: 'poll',
		replace: ' || (timed && time > scan.reached)',
		by: '',
	},
	{
		name: 'emits newest first',
		file: 'poll',
		replace: '.sort((a, b) => a.time - b.time)',
		by: '',
	},
	{
		name: 'does not remember what it found before a break',
		file: 'poll',
		replace: 'found: write(remembered)',
		by: "found: ''",
	},
	{
		name: 'passes over a page that holds more than maxItems',
		file: 'poll',
		replace: 'if (isFull) break;\n\n',
		by: '\n',
	},
	{
		name: 'forgets which part of a backlog it has forgotten',
		file: 'poll',
		replace: 'if (isMet || isForgotten(scan.stretches, time)) {',
		by: 'if (isMet) {',
		overflows: true,
	},
	{
		name: 'takes what came on top of a backlog for a part of it',
		file: 'stretch',
		replace: 'if (current && first <= current.top) {',
		by: 'if (current) {\ncurrent = { ...current, top: Math.max(current.top, first) };',
		overflows: true,
	},
	{
		name: 'leaves the floor where it was when memory overflows',
		file: 'poll',
		replace: '? Math.max(floor, forgotten + 1)',
		by: '? floor',
		overflows: true,
	},
	{
		name: 'remembers all, however much it is',
		file: 'memory',
		replace: 'if (memory.size <= room)',
		by: 'if (memory.size >= 0)',
		overflows: true,
	},
	{
		name: 'tells events apart by their license alone',
		file: 'event',
		replace: 'JSON.stringify([who, record.eventType, stamp ?? record.eventTimestamp])',
		by: 'JSON.stringify([who])',
	},
	{
		name: 'goes on with the state of other filters',
		file: 'state',
		replace: 'saved.filters === filters',
		by: 'true',
	},
];

const sources = new Map<string, string>();

function sourceOf(file: string): string {
	const source = sources.get(file) ?? readFileSync(join(ROOM, `${file}.ts`), 'utf8');
	sources.set(file, source);
	return source;
}

function edited(file: string, edits: Edit[]): string {
	let source = sourceOf(file);
	for (const { replace, by } of edits.filter((edit) => edit.file === file)) {
		const parts = source.split(replace);
		if (parts.length !== 2)
			throw new Error(`${file}.ts holds ${parts.length - 1} times: ${replace}`);
		source = parts.join(by);
	}
	return source;
}

/** The feed with such edits, compiled from its sources, so that what ships needs no opening for a test. */
export function feedWith(edits: Edit[]): PollFeed {
	const modules = new Map<string, object>();
	const load = (file: string): object => {
		const known = modules.get(file);
		if (known) return known;
		const { outputText } = ts.transpileModule(edited(file, edits), {
			compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
		});
		const exports = {};
		modules.set(file, exports);
		const need = (name: string) =>
			name === 'node:crypto' ? { createHash } : load(name.replace('./', ''));
		new Function('require', 'exports', outputText)(need, exports);
		return exports;
	};
	return (load('poll') as { pollFeed: PollFeed }).pollFeed;
}
