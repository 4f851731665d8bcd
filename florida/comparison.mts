import { isPendingTransfer } from './codes.mts';
import * as compare from './compare.mts';
import { foodOfFirstRun, liquorOfFirstRun } from './first-run.mts';
import { daysBetween } from './calendar.mts';
import type { Facts, Kept } from './license.mts';
import type { Changes, Dated, Memory, SourceState } from './memory.mts';
import { GivenNumbers } from './numbers.mts';
import { count, isWithin, type FileContent } from './rows.mts';
import { listsLicenses, type Source } from './sources.mts';

/** A file that is taken in. */
export interface Accepted {
	source: string;
	day: string;
	of: Source;
	content: FileContent;
	/** The source was not known before: nothing has happened to what it lists. */
	isFirst: boolean;
	/** Its endings and changes of holder are not taken. */
	isHeld: boolean;
	state: SourceState;
}

/** So long does a dated entry count that is in its file no more: both files start over on 1 July. */
const ENTRY_DAYS = 120;

/** What new files mean for what was remembered. Writes into the changes alone. */
export class Comparison {
	readonly events = {
		...{ new_filing: 0, ownership_transfer: 0, renewal: 0, status_change: 0, cancellation: 0 },
	};
	readonly pending = { transfers: 0, gone: 0 };
	readonly leftOut: Record<string, number> = {};
	private readonly isFirstRun: boolean;
	private readonly lists: Map<string, Accepted>;

	constructor(
		private readonly memory: Memory,
		private readonly changes: Changes,
		private readonly accepted: readonly Accepted[],
	) {
		this.isFirstRun = !memory.state.isReady;
		const lists = accepted.filter(({ of }) => listsLicenses(of));
		this.lists = new Map(lists.map((one) => [one.source, one]));
	}

	run(): void {
		const { kept, ended } = this.memory;
		for (const one of this.accepted) {
			for (const [reason, rows] of Object.entries(one.content.leftOut))
				this.leftOut[reason] = (this.leftOut[reason] ?? 0) + rows;
			if (!listsLicenses(one.of)) this.takeDated(one);
		}
		const numbers = new GivenNumbers([...kept.keys(), ...ended.keys()]);
		const dated = { approvals: this.dated('newfood'), transfers: this.dated('chgownr_food') };
		for (const one of this.lists.values()) {
			const beside = { source: one.source, day: one.day, numbers, ...dated };
			for (const facts of one.content.licenses.values()) this.takeRow(facts, one, beside);
		}
		for (const one of this.lists.values()) if (!one.isFirst) this.takeAbsences(one);
		const day = this.accepted
			.map((one) => one.day)
			.sort()
			.at(-1);
		if (day === undefined) return;
		if (this.isFirstRun) this.dateFirstRun(dated, day);
		this.takeDates(dated, day);
		this.dropEnded(day);
	}

	private takeRow(facts: Facts, one: Accepted, beside: compare.Beside): void {
		const { source, isFirst, isHeld } = one;
		const kept = this.get(facts.number);
		if (kept === facts && kept.source === source && kept.goneIn === null && kept.ended === null)
			return;
		if (kept && kept.source !== source && !this.hasLeft(kept))
			return count(this.leftOut, 'in two files');
		if (!isFirst && isPendingTransfer(facts.codes))
			if (!kept || !isPendingTransfer(kept.codes)) this.pending.transfers++;
		if (!kept || kept.ended !== null) {
			const before = kept ?? this.memory.ended.get(facts.number);
			const now = isFirst
				? compare.baseline(facts, source)
				: compare.arrival(facts, before, beside);
			this.put(now, kept);
		} else if (isFirst) this.put(compare.withoutEvent(kept, facts, source), kept);
		else if (isHeld && compare.hasOtherHolder(kept, facts))
			this.put({ ...kept, goneIn: null }, kept);
		else this.put(compare.change(kept, facts, beside), kept);
	}

	/** Whether its own file does not list it any more. */
	private hasLeft({ source, number, goneIn, ended }: Kept): boolean {
		const own = this.lists.get(source);
		return own ? !own.content.licenses.has(number) : goneIn !== null || ended !== null;
	}

	private takeAbsences({ source, day, content, isHeld }: Accepted): void {
		for (const { number } of this.memory.kept.values()) {
			const kept = this.get(number);
			if (kept?.source !== source || content.licenses.has(number)) continue;
			const now = compare.absence(kept, content.hash, day);
			if (isHeld && now.ended !== kept.ended) continue;
			if (kept.goneIn === null && now.goneIn !== null) this.pending.gone++;
			this.put(now, kept);
		}
	}

	private dated(source: string): ReadonlyMap<string, Dated> {
		return this.changes.dated.get(source) ?? this.memory.dated.get(source) ?? new Map();
	}

	/** What a dated file has named before 1 July still counts for a while, without the holder's name. */
	private takeDated({ source, day, content, isFirst }: Accepted): void {
		const before = this.dated(source);
		const all = new Map<string, Dated>();
		for (const [number, entry] of before)
			if (daysBetween(entry.date, day) <= ENTRY_DAYS) all.set(number, { ...entry, holder: '' });
		for (const [number, entry] of content.dated) {
			const known = before.get(number);
			const isOld = known ? known.isSpent && known.date === entry.date : isFirst || this.isFirstRun;
			all.set(number, { ...entry, isSpent: isOld });
		}
		this.changes.dated.set(source, all);
	}

	private dateFirstRun({ approvals, transfers }: compare.DatedFiles, day: string): void {
		const { kept } = this.changes;
		const liquor = [...kept.values()].filter(({ source }) => source === 'bd4006lic');
		for (const now of liquorOfFirstRun(liquor, day)) this.put(now, kept.get(now.number));
		for (const now of foodOfFirstRun(kept, approvals.values(), transfers.values(), day))
			this.put(now, kept.get(now.number));
	}

	/** What the dated files say of licenses that have been there. */
	private takeDates({ approvals, transfers }: compare.DatedFiles, day: string): void {
		for (const number of approvals.keys()) {
			const kept = this.get(number);
			if (kept) this.put(compare.withApproval(kept, { approvals }), kept);
		}
		const spent: Dated[] = [];
		for (const entry of transfers.values()) {
			const kept = entry.isSpent ? undefined : this.get(entry.number);
			const now = kept && compare.withTransfer(kept, entry, day);
			if (!now) continue;
			this.put(now, kept);
			spent.push({ ...entry, isSpent: true });
		}
		if (spent.length === 0) return;
		const all = new Map(transfers);
		for (const entry of spent) all.set(entry.number, entry);
		this.changes.dated.set('chgownr_food', all);
		this.changes.touched.add('chgownr_food');
	}

	private dropEnded(day: string): void {
		for (const kept of this.memory.kept.values()) {
			const ended = this.get(kept.number) === kept && compare.endedLongAgo(kept, day);
			if (!ended) continue;
			this.changes.forgotten.kept.add(kept.number);
			this.changes.ended.set(kept.number, ended);
			this.changes.touched.add(kept.source);
		}
	}

	private get(number: string): Kept | undefined {
		return this.changes.kept.get(number) ?? this.memory.kept.get(number);
	}

	private put(now: Kept, before: Kept | undefined): void {
		if (before && isWithin(now, before)) return;
		const { kept, touched, forgotten } = this.changes;
		kept.set(now.number, now);
		touched.add(now.source);
		if (before) touched.add(before.source);
		if (this.memory.ended.has(now.number)) forgotten.ended.add(now.number);
		if (now.event !== null && hasHappened(now, before)) this.events[now.event]++;
	}
}

const hasHappened = (now: Kept, before: Kept | undefined): boolean =>
	now.event !== before?.event ||
	now.at !== before.at ||
	(now.event === 'ownership_transfer' && now.holder !== before.holder);
