/**
 * The service, to try and to test against. The handle:
 *
 *   const sandbox = await createSandbox({ records: 1000, rate: 0, seed: 1 });
 *   sandbox.baseUrl                  http://127.0.0.1:<port>/v1
 *   sandbox.keys.test / .live        the two API keys; keys.rotate('live') replaces one
 *   sandbox.live                     the living dataset, and the truth about it:
 *     .insert(partial?) .update(id, partial?) .remove(id) .burst(n, partial?) .late(hours, partial?)
 *     .advance(ms)                   lets the living dataset produce what arrives in that time
 *     .records()                     all records now, newest first
 *     .events                        every event since the start, with visibleAt and hiddenAt
 *   sandbox.requests                 .entries, .count, .reset()
 *   sandbox.trouble                  .next(trouble, aim?), .betweenPages(hook), .pending, .clear()
 *   await sandbox.close()
 */
import type { AddressInfo } from 'node:net';

import { wallClock, type Clock } from './clock.mts';
import { generatedDataset } from './dataset/generation.mts';
import { LivingDataset } from './dataset/living.mts';
import { testDataset } from './dataset/test-dataset.mts';
import { Keys } from './server/authentication.mts';
import type { CursorKind } from './server/cursor.mts';
import type { SearchShape } from './server/license-routes.mts';
import { planTiers, RateLimiter, type PlanTier, type RateLimit } from './server/rate-limit.mts';
import { RequestLog } from './server/request-log.mts';
import { buildServer, VERSION_PREFIX } from './server/server.mts';
import { TroubleQueue } from './server/trouble.mts';

export { simulatedClock, wallClock, type Clock, type SimulatedClock } from './clock.mts';
export type { LoggedEvent } from './dataset/event-log.mts';
export type { Address, License, LicensePatch } from './dataset/license.mts';
export type { LivingDataset } from './dataset/living.mts';
export type { LicensePage } from './server/license-routes.mts';
export type { SeenRequest } from './server/request-log.mts';
export type { Aim, Trouble } from './server/trouble.mts';

export interface SandboxOptions {
	/** A free port unless given. */
	port?: number;
	/** How many records the live dataset starts with: 1,000 unless given. */
	records?: number;
	/** Decides the live dataset; the test dataset is the same everywhere. */
	seed?: number;
	/** Filings a minute in the live dataset: 0, so a still one, unless given. */
	rate?: number;
	/** What cursors stand for: a place in the order (key, the default) or a count (position). */
	cursors?: CursorKind;
	/** A plan tier or limits of one's own; none unless given. */
	rateLimits?: PlanTier | RateLimit | 'off';
	/** Milliseconds that every answer takes longer. */
	delay?: number;
	clock?: Clock;
	searchShape?: SearchShape;
	/** Turns every answer that departs from openapi.yaml into a 500 that says how. */
	checkAnswers?: boolean;
}

export interface Sandbox {
	baseUrl: string;
	keys: Keys;
	live: LivingDataset;
	requests: RequestLog;
	trouble: TroubleQueue;
	close(): Promise<void>;
}

export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { records = 1000, seed = 1, rate = 0, clock = wallClock, rateLimits = 'off' } = options;
	const keys = new Keys('ls_test_example', 'ls_live_example');
	const live = new LivingDataset(generatedDataset(seed, records, clock.now()), clock, rate);
	const requests = new RequestLog();
	const trouble = new TroubleQueue();
	const limit = typeof rateLimits === 'string' ? limitOf(rateLimits) : rateLimits;
	const server = buildServer({
		keys,
		live,
		test: testDataset(),
		trouble,
		requests,
		clock,
		rateLimiter: limit && new RateLimiter(limit, () => live.now()),
		cursors: options.cursors ?? 'key',
		searchShape: options.searchShape ?? 'page',
		delay: options.delay ?? 0,
		checkAnswers: options.checkAnswers ?? false,
	});
	await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { port } = server.server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}${VERSION_PREFIX}`,
		keys,
		live,
		requests,
		trouble,
		close: () => server.close(),
	};
}

const limitOf = (tier: PlanTier | 'off'): RateLimit | undefined =>
	tier === 'off' ? undefined : planTiers[tier];
