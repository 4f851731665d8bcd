import type { Clock } from '../clock.mts';
import type { LicenseEvent } from '../dataset/living.mts';
import { isoTime } from '../dataset/rendering.mts';
import type { Shapes } from '../shapes.mts';
import type { Registration, Registrations } from './registrations.mts';
import { signatureOf } from './signature.mts';

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
	attempt: number;
	at: string;
	body: string;
	/** What the receiver answered; absent if it did not. */
	status?: number;
}

type BodyOf = (registration: Registration, attempt: number) => string;

const WAIT_GROWTH = 4;

/** Signs events and posts them to everyone who registered for them. */
export class Deliveries {
	/** Every attempt so far, oldest first. */
	readonly attempts: Attempt[] = [];
	private readonly options: Required<DeliveryOptions>;
	private readonly underWay = new Set<Promise<void>>();
	private readonly lanes = new Map<string, Promise<unknown>>();
	private announced = 0;
	isClosed = false;

	constructor(
		private readonly registrations: Registrations,
		private readonly clock: Clock,
		private readonly shapes: Shapes,
		options: DeliveryOptions,
	) {
		this.options = {
			attempts: 5,
			firstWait: 1000,
			timeout: 5000,
			...options,
		};
	}

	announce(event: LicenseEvent): void {
		if (this.isClosed) return;
		const bodyOf = this.bodiesOf(event);
		for (const registration of this.registrations.interestedIn(event.license)) {
			const delivery = this.deliver(registration, bodyOf).finally(() =>
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

	private async deliver(registration: Registration, bodyOf: BodyOf): Promise<void> {
		const { attempts, firstWait } = this.options;
		let accepted = await this.firstAttempt(registration, bodyOf);
		let wait = firstWait;
		for (let attempt = 2; attempt <= attempts && !accepted; attempt++) {
			await this.clock.sleep(wait);
			wait *= WAIT_GROWTH;
			accepted = await this.attempt(registration, bodyOf, attempt);
		}
	}

	/** First attempts keep the order of the events. */
	private async firstAttempt(registration: Registration, bodyOf: BodyOf): Promise<boolean> {
		const { id } = registration.webhook;
		const previous = this.lanes.get(id) ?? Promise.resolve();
		const attempt = previous.then(() => this.attempt(registration, bodyOf, 1));
		this.lanes.set(id, attempt);
		return await attempt;
	}

	private async attempt(
		registration: Registration,
		bodyOf: BodyOf,
		attempt: number,
	): Promise<boolean> {
		const { webhook, secret } = registration;
		if (this.isClosed || !this.registrations.has(webhook.id)) return true;
		const body = bodyOf(registration, attempt);
		const { header, prefix } = this.shapes.signatures;
		const entry: Attempt = {
			webhookId: webhook.id,
			attempt,
			at: isoTime(this.clock.now()),
			body,
		};
		this.attempts.push(entry);
		try {
			const response = await fetch(webhook.url, {
				method: 'POST',
				body,
				headers: {
					'Content-Type': 'application/json',
					[header]: prefix + signatureOf(body, secret),
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

	private bodiesOf({ shown, previousStatus }: LicenseEvent): BodyOf {
		const { deliveries, deliveredTypes } = this.shapes;
		const { licenseType } = shown;
		const delivered = {
			...shown,
			licenseType: licenseType === null ? null : deliveredTypes(licenseType),
		};
		const id = `evt_${++this.announced}`;
		const at = isoTime(this.clock.now());
		return ({ webhook, secret }, attempt) =>
			JSON.stringify(
				deliveries({
					id,
					kind: String(shown.eventType),
					license: delivered,
					previousStatus,
					at,
					webhookId: webhook.id,
					attempt,
					sign: (text) => signatureOf(text, secret),
				}),
			);
	}
}
