import { EventEmitter } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../folders.mts';

/** A lead as the nodes' "CRM Lead" output sends it. A CRM takes what it gets, so anything may be missing. */
export interface Lead {
	company?: string | null;
	licenseType?: string | null;
	city?: string | null;
	county?: string | null;
	filedDate?: string | null;
	event?: string | null;
	filingKind?: string | null;
	[field: string]: unknown;
}

export interface ReceivedLead extends Lead {
	number: number;
	receivedAt: string;
	/** The workflow that sent it, if it says so. */
	sentBy?: string;
}

/** For a page: whatever is neither text nor number is written out, so that nothing in a lead can break it. */
export const asTexts = (lead: ReceivedLead): object =>
	Object.fromEntries(
		Object.entries(lead).map(([field, value]) => [
			field,
			value === null || ['string', 'number'].includes(typeof value) ? value : JSON.stringify(value),
		]),
	);

/** The leads in the order they came, kept in a file, one per line. */
export class LeadBook extends EventEmitter<{ lead: [ReceivedLead] }> {
	private constructor(
		private readonly path: string,
		readonly leads: ReceivedLead[],
	) {
		super();
	}

	static async open(path: string): Promise<LeadBook> {
		await makeFolder(dirname(path));
		const text = await readFile(path, 'utf8').catch(() => '');
		// A run that was killed while writing may have left half a line at the end.
		const whole = text.slice(0, text.lastIndexOf('\n') + 1);
		if (whole !== text) await writeFile(path, whole);
		const lines = whole.split('\n').filter(Boolean);
		return new LeadBook(
			path,
			lines.map((line) => JSON.parse(line) as ReceivedLead),
		);
	}

	async add(lead: Lead, sentBy?: string): Promise<ReceivedLead> {
		const received: ReceivedLead = {
			...lead,
			number: this.leads.length + 1,
			receivedAt: new Date().toISOString(),
			sentBy,
		};
		this.leads.push(received);
		await appendFile(this.path, `${JSON.stringify(received)}\n`, { mode: 0o600 });
		this.emit('lead', received);
		return received;
	}
}

const FILING_KINDS = new Map([
	['newLicense', 'new license'],
	['newHolder', 'new holder'],
]);

/** One line in the terminal: when, who, what, where. */
export function leadLine(lead: ReceivedLead): string {
	const time = new Date(lead.receivedAt).toLocaleTimeString('en-US', { hourCycle: 'h23' });
	const place = [lead.city, lead.county && `${lead.county} County`].filter(Boolean).join(', ');
	const sender = lead.sentBy && `(${lead.sentBy})`;
	const kind = FILING_KINDS.get(lead.filingKind ?? '');
	return [time, lead.company ?? 'No name given', lead.licenseType, kind, place, sender]
		.filter(Boolean)
		.join('  ')
		.replace(/\p{Cc}/gu, ' ');
}
