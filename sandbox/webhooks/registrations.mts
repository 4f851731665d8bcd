import { randomBytes } from 'node:crypto';

import type { License } from '../register/license.mts';
import type { KeyKind } from '../server/authentication.mts';
import { slug } from '../shapes.mts';

/** What a registration asks for; an absent or empty selection means any. */
export interface WebhookRequest {
	url: string;
	events?: string[];
	counties?: string[];
	license_types?: string[];
}

export interface Webhook extends Required<WebhookRequest> {
	id: string;
}

export interface Registration {
	webhook: Webhook;
	secret: string;
	key: KeyKind;
}

/** Who wants to be told of what. Each key sees only its own registrations. */
export class Registrations {
	private readonly registrations = new Map<string, Registration>();

	add(key: KeyKind, request: WebhookRequest): Registration {
		const registration = {
			key,
			secret: `whsec_${randomBytes(24).toString('base64url')}`,
			webhook: {
				id: `wh_${randomBytes(8).toString('hex')}`,
				url: request.url,
				events: request.events ?? [],
				counties: request.counties ?? [],
				license_types: request.license_types ?? [],
			},
		};
		this.registrations.set(registration.webhook.id, registration);
		return registration;
	}

	remove(key: KeyKind, id: string): boolean {
		return this.registrations.get(id)?.key === key && this.registrations.delete(id);
	}

	has(id: string): boolean {
		return this.registrations.has(id);
	}

	of(key: KeyKind): Webhook[] {
		return [...this.registrations.values()]
			.filter((registration) => registration.key === key)
			.map(({ webhook }) => webhook);
	}

	/** The live key's registrations that select this record; the test key's dataset never changes. */
	interestedIn(license: License): Registration[] {
		return [...this.registrations.values()].filter(
			({ key, webhook }) => key === 'live' && selects(webhook, license),
		);
	}
}

function selects(webhook: Webhook, { eventType, licenseType, address }: License): boolean {
	return (
		includesOrAny(webhook.events, eventType) &&
		includesOrAny(webhook.license_types, licenseType) &&
		includesOrAny(webhook.counties, slug(String(address?.county ?? '')))
	);
}

const includesOrAny = (selection: string[], value: string | null): boolean =>
	selection.length === 0 || (value !== null && selection.includes(value));
