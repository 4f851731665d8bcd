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

/** Signs events and posts them to everyone who registered for them. */
export class Deliveries {
	/** What has been sent so far, oldest first; the status is the receiver's, if it answered. */
	readonly attempts: Array<{ webhookId: string; body: string; status?: number }> = [];
	private readonly underWay = new Set<Promise<void>>();
	/** First attempts keep the order of the events. */
	private readonly lanes = new Map<string, Promise<boolean>>();
	private isClosed = false;

	constructor(
		private readonly registrations: Registrations,
		private readonly clock: Clock,
		private readonly options: DeliveryOptions,
	) {}

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
		const { attempts = 5, firstWait = 1000 } = this.options;
		const { id } = registration.webhook;
		const before = this.lanes.get(id) ?? Promise.resolve(true);
		const first = before.then(async () => await this.attempt(registration, body));
		this.lanes.set(id, first);
		let isAccepted = await first;
		for (let retry = 0; retry < attempts - 1 && !isAccepted; retry++) {
			await this.clock.sleep(firstWait * 4 ** retry);
			isAccepted = await this.attempt(registration, body);
		}
	}

	private async attempt({ webhook, secret }: Registration, body: string): Promise<boolean> {
		if (this.isClosed || !this.registrations.has(webhook.id)) return true;
		const entry: Deliveries['attempts'][number] = { webhookId: webhook.id, body };
		this.attempts.push(entry);
		try {
			const response = await fetch(webhook.url, {
				method: 'POST',
				body,
				headers: {
					'Content-Type': 'application/json',
					'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
				},
				redirect: 'manual',
				signal: AbortSignal.timeout(this.options.timeout ?? 5000),
			});
			entry.status = response.status;
			await response.arrayBuffer();
			return response.ok;
		} catch {
			return false;
		}
	}
}
