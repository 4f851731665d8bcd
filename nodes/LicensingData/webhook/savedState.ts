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

/** What n8n saves for the node. n8n only notices assignments, so every value is replaced as a whole. */
interface Saved {
	registration?: Registration;
	/** When the registration came or went, which tells an old copy from a new one. */
	registrationChanged?: number;
	/** The hashes of the latest events, joined. */
	takenEvents?: string;
}

export const savedIn = (context: Context): Saved => context.getWorkflowStaticData('node');

/** Identifies a node, live or listening for a test event: the two have different addresses. */
export const nodeIn = (context: Context): string => String(context.getNodeWebhookUrl('default'));

/** The latest registration of each node that this process knows of, by the node's address. */
const latest = new Map<string, Pick<Saved, 'registration' | 'registrationChanged'>>();

/**
 * All nodes of a workflow share one static data object. A polling trigger that emits writes back its whole
 * copy of it, including a registration that has been replaced since. So the process remembers the latest one
 * that it has seen, and puts it back.
 */
export function registrationOf(context: Context): Registration | undefined {
	const saved = savedIn(context);
	// Listening for a test event has its own static data, which nothing else writes.
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
	// Later than the one before, even if the clock was set back.
	const registrationChanged = Math.max(Date.now(), (saved.registrationChanged ?? 0) + 1);
	Object.assign(saved, { registration, registrationChanged });
	latest.set(nodeIn(context), { registration, registrationChanged });
}
