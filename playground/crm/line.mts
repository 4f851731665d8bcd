import type { ReceivedLead } from './leads.mts';

const FILING_KINDS: Record<string, string> = { newLicense: 'new license', newHolder: 'new holder' };

/** One line in the terminal: when, who, what, where. */
export function leadLine(lead: ReceivedLead): string {
	const time = new Date(lead.receivedAt).toLocaleTimeString('en-US', { hourCycle: 'h23' });
	const place = [lead.city, lead.county && `${lead.county} County`].filter(Boolean).join(', ');
	const sender = lead.sentBy && `(${lead.sentBy})`;
	const kind = FILING_KINDS[lead.filingKind ?? ''];
	return [time, lead.company ?? 'No name given', lead.licenseType, kind, place, sender]
		.filter(Boolean)
		.join('  ')
		.replace(/\p{Cc}/gu, ' ');
}
