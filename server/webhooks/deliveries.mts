import { createHmac } from 'node:crypto';

import type { Clock } from '../clock.mts';
import type { License } from '../license.mts';
import type { Registration, Registrations } from './registrations.mts';

// Whatever the specification does not show here is chosen here.
const ATTEMPTS = 5;
/** Milliseconds before the first retry; each further wait is four times as long. */
const FIRST_WAIT = 1000;
/** Milliseconds that the receiver has to answer. */
const TIMEOUT = 5000;

/** Signs events and posts them to everyone who registered for them. */
export class Deliveries {
	private readonly underWay = new Set<Promise<void>>();
	/** First attempts keep the order of the events. */
	private readonly lanes = new Map<string, Promise<boolean>>();
	private isClosed = false;

	constructor(
		private readonly registrations: Registrations,
		private readonly clock: Clock,
	) {}

	announce(account: string, license: License): void {
		if (this.isClosed) return;
		const body = JSON.stringify({ type: license.eventType, data: license });
		for (const registration of this.registrations.interestedIn(account, license)) {
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
		const { id } = registration.webhook;
		const before = this.lanes.get(id) ?? Promise.resolve(true);
		const first = before.then(async () => await this.attempt(registration, body));
		this.lanes.set(id, first);
		let isAccepted = await first;
		for (let retry = 0; retry < ATTEMPTS - 1 && !isAccepted; retry++) {
			await this.clock.sleep(FIRST_WAIT * 4 ** retry);
			isAccepted = await this.attempt(registration, body);
		}
	}

	private async attempt({ webhook, secret }: Registration, body: string): Promise<boolean> {
		if (this.isClosed || !this.registrations.has(webhook.id)) return true;
		try {
			const signature = createHmac('sha256', secret).update(body).digest('hex');
			const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': signature };
			const signal = AbortSignal.timeout(TIMEOUT);
			const sent = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
			const response = await fetch(webhook.url, sent);
			await response.arrayBuffer();
			return response.ok;
		} catch {
			return false;
		}
	}
}
