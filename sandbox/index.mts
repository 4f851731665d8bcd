/**
 * The service, to try and to test against. The handle:
 *
 *   const sandbox = await createSandbox({ records: 1000, rate: 0, seed: 1 });
 *   sandbox.baseUrl                  http://127.0.0.1:<port>/v1
 *   sandbox.keys.test / .live        the two API keys; keys.rotate('live') replaces one
 *   sandbox.credentials              the address and the live key, as a user enters them
 *   sandbox.live                     the living dataset, and the truth about it:
 *     .insert(partial?) .update(id, partial?) .remove(id) .burst(n, partial?) .late(hours, partial?)
 *     .advance(ms)                   lets the living dataset produce what arrives in that time
 *     .records()                     all records now, newest first
 *     .events                        every event since the start, with visibleAt and hiddenAt
 *     .churn({ insert, update, remove })   so many of each, of records picked at random
 *   sandbox.requests                 .entries, .count, .reset()
 *   sandbox.trouble                  .next(trouble, aim?), .betweenPages(hook), .pending, .clear()
 *   sandbox.webhooks                 .registrations, .deliveries (.attempts, .settled()), once on
 *   sandbox.control                  .url and .token of the same control over HTTP
 *   await sandbox.close()
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { wallClock, type Clock } from './clock.mts';
import { generatedDataset } from './dataset/generation.mts';
import { LivingDataset } from './dataset/living.mts';
import { testDataset } from './dataset/test-dataset.mts';
import { Keys } from './server/authentication.mts';
import { RequestLog } from './server/request-log.mts';
import { buildServer, CONTROL_PREFIX, VERSION_PREFIX } from './server/server.mts';
import { TroubleQueue } from './server/trouble.mts';
import { shapesFrom, type ShapeOptions, type Shapes } from './shapes.mts';
import { Deliveries, type DeliveryOptions } from './webhooks/deliveries.mts';
import { Registrations } from './webhooks/registrations.mts';

export { simulatedClock, wallClock, type Clock } from './clock.mts';
export type { LoggedEvent } from './dataset/event-log.mts';
export type { License } from './dataset/license.mts';
export type { LicensePage } from './server/license-routes.mts';
export type { SeenRequest } from './server/request-log.mts';
export type { Aim, Trouble } from './server/trouble.mts';
export type { DeliveryOptions } from './webhooks/deliveries.mts';

export { SHAPES, type ShapeOptions } from './shapes.mts';

/** Everything that the interface leaves open is an option of its own: `shapes.mts` has the table. */
export interface SandboxOptions extends ShapeOptions {
	/** A free port unless given. */
	port?: number;
	/** How many records the live dataset starts with: 1,000 unless given. */
	records?: number;
	/** Decides the live dataset; the test dataset is the same everywhere. */
	seed?: number;
	/** Filings a minute in the live dataset: 0, so a still one, unless given. */
	rate?: number;
	/** Extra milliseconds that every answer takes. */
	delay?: number;
	clock?: Clock;
	/** Off unless given, as in the real service today; how deliveries fail is chosen here. */
	webhooks?: boolean | DeliveryOptions;
	/** Turns every answer that departs from openapi.yaml into a 500 that says how. */
	checkAnswers?: boolean;
}

export interface Sandbox {
	baseUrl: string;
	keys: Keys;
	readonly credentials: { baseUrl: string; apiKey: string };
	live: LivingDataset;
	requests: RequestLog;
	trouble: TroubleQueue;
	/** Undefined while webhooks are off. */
	webhooks: { registrations: Registrations; deliveries: Deliveries } | undefined;
	control: { url: string; token: string };
	close(): Promise<void>;
}

export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { records = 1000, seed = 1, rate = 0, clock = wallClock } = options;
	const shapes = shapesFrom(options);
	const keys = new Keys('ls_test_example', 'ls_live_example');
	const dataset = generatedDataset(seed, records, clock.now(), shapes);
	const live = new LivingDataset(dataset, clock, rate);
	const requests = new RequestLog();
	const trouble = new TroubleQueue();
	const webhooks = options.webhooks
		? webhooksOf(live, clock, seed, shapes, options.webhooks === true ? {} : options.webhooks)
		: undefined;
	const controlToken = randomBytes(16).toString('hex');
	const server = buildServer({
		keys,
		live,
		test: testDataset(shapes),
		trouble,
		requests,
		clock,
		shapes,
		delay: options.delay ?? 0,
		checkAnswers: options.checkAnswers ?? false,
		webhooks: webhooks?.registrations,
		controlToken,
	});
	await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { port } = server.server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	const baseUrl = `${origin}${VERSION_PREFIX}`;
	return {
		baseUrl,
		keys,
		get credentials() {
			return { baseUrl, apiKey: keys.live };
		},
		live,
		requests,
		trouble,
		webhooks,
		control: { url: `${origin}${CONTROL_PREFIX}`, token: controlToken },
		close: async () => {
			webhooks?.deliveries.close();
			await server.close();
		},
	};
}

function webhooksOf(
	live: LivingDataset,
	clock: Clock,
	seed: number,
	shapes: Shapes,
	options: DeliveryOptions,
) {
	const registrations = new Registrations();
	const deliveries = new Deliveries(registrations, clock, seed, shapes, options);
	live.onEvent((event) => deliveries.announce(event));
	// A delivery must come due even if nobody looks at the list.
	const watch = async (): Promise<void> => {
		while (!deliveries.isClosed && live.untilNextArrival < Number.POSITIVE_INFINITY) {
			await clock.sleep(Math.max(live.untilNextArrival, 10));
			live.catchUp();
		}
	};
	void watch();
	return { registrations, deliveries };
}
