import { randomBytes } from 'node:crypto';

import { slug, type License } from '../license.mts';

/** What a registration asks for; an absent or empty selection means any. */
export interface WebhookRequest {
	url: string;
	events?: string[];
	counties?: string[];
	license_types?: string[];
}

type Webhook = Required<WebhookRequest> & { id: string };

export interface Registration {
	webhook: Webhook;
	secret: string;
	/** Whose it is. */
	account: string;
}

/** Who wants to be told of what. Each account sees only its own registrations. */
export class Registrations {
	private readonly registrations = new Map<string, Registration>();

	add(account: string, request: WebhookRequest): Registration {
		const id = `wh_${randomBytes(8).toString('hex')}`;
		const secret = `whsec_${randomBytes(24).toString('base64url')}`;
		const anything = { events: [], counties: [], license_types: [] };
		const registration = { account, secret, webhook: { id, ...anything, ...request } };
		this.registrations.set(id, registration);
		return registration;
	}

	remove(account: string, id: string): boolean {
		return this.registrations.get(id)?.account === account && this.registrations.delete(id);
	}

	has(id: string): boolean {
		return this.registrations.has(id);
	}

	of(account: string): Webhook[] {
		const all = [...this.registrations.values()];
		return all.filter((one) => one.account === account).map(({ webhook }) => webhook);
	}

	/** An account's registrations that select this record of its register. */
	interestedIn(account: string, { eventType, licenseType, address }: License): Registration[] {
		const isAsked = (selection: string[], value: string | null): boolean =>
			selection.length === 0 || (value !== null && selection.includes(value));
		return [...this.registrations.values()].filter(
			({ account: owner, webhook }) =>
				owner === account &&
				isAsked(webhook.events, eventType) &&
				isAsked(webhook.license_types, licenseType) &&
				isAsked(webhook.counties, slug(String(address?.county ?? ''))),
		);
	}
}
