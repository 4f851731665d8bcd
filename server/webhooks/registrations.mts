import { randomBytes } from 'node:crypto';

import type { License } from '../license.mts';
import type { KeyKind } from '../authentication.mts';
import { slug } from '../../sandbox/shapes.mts';

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
	key: KeyKind;
}

/** Who wants to be told of what. Each key sees only its own registrations. */
export class Registrations {
	private readonly registrations = new Map<string, Registration>();

	add(key: KeyKind, request: WebhookRequest): Registration {
		const id = `wh_${randomBytes(8).toString('hex')}`;
		const secret = `whsec_${randomBytes(24).toString('base64url')}`;
		const anything = { events: [], counties: [], license_types: [] };
		const registration = { key, secret, webhook: { id, ...anything, ...request } };
		this.registrations.set(id, registration);
		return registration;
	}

	remove(key: KeyKind, id: string): boolean {
		return this.registrations.get(id)?.key === key && this.registrations.delete(id);
	}

	has(id: string): boolean {
		return this.registrations.has(id);
	}

	of(key: KeyKind): Webhook[] {
		const all = [...this.registrations.values()];
		return all.filter((one) => one.key === key).map(({ webhook }) => webhook);
	}

	/** The live key's registrations that select this record; the test key's licenses never change. */
	interestedIn({ eventType, licenseType, address }: License): Registration[] {
		const isAsked = (selection: string[], value: string | null): boolean =>
			selection.length === 0 || (value !== null && selection.includes(value));
		return [...this.registrations.values()].filter(
			({ key, webhook }) =>
				key === 'live' &&
				isAsked(webhook.events, eventType) &&
				isAsked(webhook.license_types, licenseType) &&
				isAsked(webhook.counties, slug(String(address?.county ?? ''))),
		);
	}
}
