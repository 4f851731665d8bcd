import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

type Context = IHookFunctions | IWebhookFunctions;

/** What n8n keeps of a registration between activation and deactivation. */
export interface Registration {
	id: string;
	/** Absent where the service gave none; then the one in the credential is used. */
	secret?: string;
	/** What was asked for, to notice when the user asks for something else. */
	request: string;
}

/** What n8n saves for the node. n8n notices assignments, so every value is replaced whole. */
interface Saved {
	registration?: Registration;
	/** When the registration came or went, which tells an old copy from a new one. */
	registrationChanged?: number;
	/** The events that came last, by their hashes, one after the other. */
	takenEvents?: string;
}

export const savedIn = (context: Context): Saved => context.getWorkflowStaticData('node');

/** One node, live or listening for a test event: only the two have different addresses. */
export const nodeIn = (context: Context): string => String(context.getNodeWebhookUrl('default'));

/** The latest registration of each node that this process knows of, by the node's address. */
const latest = new Map<string, Pick<Saved, 'registration' | 'registrationChanged'>>();

/**
 * All nodes of a workflow share one static data object. A polling trigger that emits writes back the whole of
 * the copy it was started with, and a registration that was replaced since comes back with it. So the process
 * remembers the latest one that it has seen, and puts it back.
 */
export function registrationOf(context: Context): Registration | undefined {
	const saved = savedIn(context);
	// Who listens for a test event has static data apart, which nobody else writes.
	if (context.getMode() === 'manual') return saved.registration;
	const { registration, registrationChanged } = saved;
	const known = latest.get(nodeIn(context));
	if (known && (known.registrationChanged ?? 0) > (registrationChanged ?? 0)) {
		Object.assign(saved, known);
		return known.registration;
	}
	latest.set(nodeIn(context), { registration, registrationChanged });
	return registration;
}

export function keepRegistration(context: Context, registration: Registration | undefined): void {
	const saved = savedIn(context);
	// Later than the one before, also where the clock was set back.
	const registrationChanged = Math.max(Date.now(), (saved.registrationChanged ?? 0) + 1);
	Object.assign(saved, { registration, registrationChanged });
	if (context.getMode() === 'manual') return;
	latest.set(nodeIn(context), { registration, registrationChanged });
}
