import { createHmac } from 'node:crypto';

import type { Clock } from '../clock.mts';
import type { License } from '../register/license.mts';
import type { Registration, Registrations } from './registrations.mts';

/** Whatever the specification does not show here is this sandbox's choice. */
export interface DeliveryOptions {
	/** How many times a delivery is tried: 5 unless given. */
	attempts?: number;
	/** Milliseconds before the first retry, 1000 unless given; each further wait is four times as long. */
	firstWait?: number;
	/** Milliseconds that the receiver has to answer: 5000 unless given. */
	timeout?: number;
}

/** One attempt to deliver. */
export interface Attempt {
	webhookId: string;
	body: string;
	/** What the receiver answered; absent if it did not. */
	status?: number;
}

const WAIT_GROWTH = 4;

/** Signs events and posts them to everyone who registered for them. */
export class Deliveries {
	/** Every attempt so far, oldest first. */
	readonly attempts: Attempt[] = [];
	private readonly options: Required<DeliveryOptions>;
	private readonly underWay = new Set<Promise<void>>();
	private readonly lanes = new Map<string, Promise<unknown>>();
	isClosed = false;

	constructor(
		private readonly registrations: Registrations,
		private readonly clock: Clock,
		options: DeliveryOptions,
	) {
		this.options = { attempts: 5, firstWait: 1000, timeout: 5000, ...options };
	}

	announce(license: License): void {
		if (this.isClosed) return;
		const body = JSON.stringify({ type: license.eventType, data: license });
		for (const registration of this.registrations.interestedIn(license)) {
			const delivery = this.deliver(registration, body).finally(() =>
				this.underWay.delete(delivery),
			);
			this.underWay.add(delivery);
		}
	}

	/** Waits until every delivery so far has been accepted or given up. */
	async settled(): Promise<void> {
		while (this.underWay.size > 0) await Promise.all(this.underWay);
	}

	close(): void {
		this.isClosed = true;
	}

	private async deliver(registration: Registration, body: string): Promise<void> {
		const { attempts, firstWait } = this.options;
		let accepted = await this.firstAttempt(registration, body);
		let wait = firstWait;
		for (let attempt = 2; attempt <= attempts && !accepted; attempt++) {
			await this.clock.sleep(wait);
			wait *= WAIT_GROWTH;
			accepted = await this.attempt(registration, body);
		}
	}

	/** First attempts keep the order of the events. */
	private async firstAttempt(registration: Registration, body: string): Promise<boolean> {
		const { id } = registration.webhook;
		const previous = this.lanes.get(id) ?? Promise.resolve();
		const attempt = previous.then(() => this.attempt(registration, body));
		this.lanes.set(id, attempt);
		return await attempt;
	}

	private async attempt({ webhook, secret }: Registration, body: string): Promise<boolean> {
		if (this.isClosed || !this.registrations.has(webhook.id)) return true;
		const entry: Attempt = { webhookId: webhook.id, body };
		this.attempts.push(entry);
		try {
			const response = await fetch(webhook.url, {
				method: 'POST',
				body,
				headers: {
					'Content-Type': 'application/json',
					'X-Service-Signature': signatureOf(body, secret),
				},
				redirect: 'manual',
				signal: AbortSignal.timeout(this.options.timeout),
			});
			entry.status = response.status;
			await response.arrayBuffer();
			return response.ok;
		} catch {
			return false;
		}
	}
}

const signatureOf = (rawBody: string, secret: string): string =>
	createHmac('sha256', secret).update(rawBody, 'utf8').digest('hex');
