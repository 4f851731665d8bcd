import type { Clock } from '../clock.mts';
import type { License } from '../dataset/license.mts';
import { randomSequence } from '../dataset/random.mts';
import { isoTime } from '../dataset/rendering.mts';
import type { Registration, Registrations } from './registrations.mts';
import { signatureOf, type SignaturePrefix } from './signature.mts';

/** Whatever the specification does not show here is this sandbox's choice. */
export interface DeliveryOptions {
	/** What comes before the hex digest in `X-Service-Signature`: nothing, unless given. */
	signaturePrefix?: SignaturePrefix;
	/** How many times a delivery is tried: 5 unless given. */
	attempts?: number;
	/** Milliseconds before the first retry, 1000 unless given; each further wait is four times as long. */
	firstWait?: number;
	/** Milliseconds that the receiver has to answer: 5000 unless given. */
	timeout?: number;
	/** The share of accepted deliveries that come a second time, from 0 (the default) to 1. */
	duplicates?: number;
	/** Milliseconds within which deliveries may overtake each other; 0 (in order) unless given. */
	shuffleWithin?: number;
	/** Where the kind is, what precedes it, and whether the record is `data` or `data.license`. */
	shape?: { kindIn?: 'type' | 'event'; kindPrefix?: '' | 'license.'; nested?: boolean };
}

/** One attempt to deliver. */
export interface Attempt {
	webhookId: string;
	attempt: number;
	at: string;
	body: string;
	/** What the receiver answered; absent if it did not. */
	status?: number;
	/** Whether this repeats a delivery that was already accepted. */
	isDuplicate: boolean;
}

const WAIT_GROWTH = 4;

/** Signs events and posts them to everyone who registered for them. */
export class Deliveries {
	/** Every attempt so far, oldest first. */
	readonly attempts: Attempt[] = [];
	private readonly options: Required<DeliveryOptions>;
	private readonly underWay = new Set<Promise<void>>();
	private readonly lanes = new Map<string, Promise<unknown>>();
	private readonly random: () => number;
	isClosed = false;

	constructor(
		private readonly registrations: Registrations,
		private readonly clock: Clock,
		seed: number,
		options: DeliveryOptions,
	) {
		this.random = randomSequence(seed + 1);
		this.options = {
			signaturePrefix: '',
			attempts: 5,
			firstWait: 1000,
			timeout: 5000,
			duplicates: 0,
			shuffleWithin: 0,
			shape: {},
			...options,
		};
	}

	announce(license: License): void {
		if (this.isClosed) return;
		const body = JSON.stringify(this.payloadOf(license));
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
		const { attempts, firstWait, duplicates } = this.options;
		let accepted = await this.firstAttempt(registration, body);
		let wait = firstWait;
		for (let attempt = 2; attempt <= attempts && !accepted; attempt++) {
			await this.clock.sleep(wait);
			wait *= WAIT_GROWTH;
			accepted = await this.attempt(registration, body, attempt);
		}
		if (accepted && this.random() < duplicates)
			await this.attempt(registration, body, 1, { isDuplicate: true });
	}

	/** First attempts keep the order of the events, unless they are to overtake each other. */
	private async firstAttempt(registration: Registration, body: string): Promise<boolean> {
		const { shuffleWithin } = this.options;
		if (shuffleWithin > 0) {
			await this.clock.sleep(this.random() * shuffleWithin);
			return await this.attempt(registration, body, 1);
		}
		const { id } = registration.webhook;
		const previous = this.lanes.get(id) ?? Promise.resolve();
		const attempt = previous.then(() => this.attempt(registration, body, 1));
		this.lanes.set(id, attempt);
		return await attempt;
	}

	private async attempt(
		{ webhook, secret }: Registration,
		body: string,
		attempt: number,
		{ isDuplicate } = { isDuplicate: false },
	): Promise<boolean> {
		if (this.isClosed || !this.registrations.has(webhook.id)) return true;
		const entry: Attempt = {
			webhookId: webhook.id,
			attempt,
			at: isoTime(this.clock.now()),
			body,
			isDuplicate,
		};
		this.attempts.push(entry);
		try {
			const response = await fetch(webhook.url, {
				method: 'POST',
				body,
				headers: {
					'Content-Type': 'application/json',
					'X-Service-Signature': signatureOf(body, secret, this.options.signaturePrefix),
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

	private payloadOf(license: License): Record<string, unknown> {
		const { kindIn = 'type', kindPrefix = '', nested = false } = this.options.shape;
		return {
			[kindIn]: `${kindPrefix}${license.eventType}`,
			data: nested ? { license } : license,
		};
	}
}
