/**
 * The service, to try and to test against. By default it answers from a register as a state keeps it:
 *
 *   const sandbox = await createSandbox({ records: 1000 });
 *   sandbox.baseUrl                  http://127.0.0.1:<port>/v1
 *   sandbox.keys.test / .live        the two API keys; keys.rotate('live') replaces one
 *   sandbox.credentials              the address and the live key, as a user enters them
 *   sandbox.register                 what the live key's answers come from:
 *     .advance(days?)                lets days pass; the list changes once a day
 *     .list(query) .search(query) .get(id)   what the service answers, without HTTP
 *     .all(query)                    the same list at once: the truth that tests count against
 *     .listings                      what has become visible or changed since the start
 *     .file(partial?) .change(id, partial)   plants a new filing, changes a license
 *     .leaveOut(source or id, days?) .sample({ windows, holes })
 *   sandbox.requests                 .entries, .count, .reset()
 *   sandbox.trouble                  .next(trouble, aim?), .betweenPages(hook), .pending, .clear()
 *   sandbox.webhooks                 .registrations, .deliveries (.attempts, .settled()), once on
 *   sandbox.control                  .url and .token of the same control over HTTP
 *   await sandbox.close()
 *
 * With `kind: 'stream'`, `sandbox.live` takes the register's place: events sorted by time that arrive by the
 * minute, and every answer that `shapes.mts` can think of. `dataset/living.mts` describes it.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { wallClock, type Clock } from './clock.mts';
import { generatedDataset } from './dataset/generation.mts';
import { LivingDataset } from './dataset/living.mts';
import { testDataset } from './dataset/test-dataset.mts';
import { Register, type RegisterOptions } from './register/register.mts';
import { registerKeptIn } from './register/state.mts';
import { Keys } from './server/authentication.mts';
import { addRegisterControl } from './server/control-routes.mts';
import { addLicenseRoutes } from './server/license-routes.mts';
import { addRegisterRoutes } from './server/register-routes.mts';
import { RequestLog } from './server/request-log.mts';
import { buildServer, CONTROL_PREFIX, VERSION_PREFIX, type Parts } from './server/server.mts';
import { TroubleQueue } from './server/trouble.mts';
import { shapesFrom, type ShapeOptions, type Shapes } from './shapes.mts';
import { Deliveries, type DeliveryOptions } from './webhooks/deliveries.mts';
import { Registrations } from './webhooks/registrations.mts';

export { simulatedClock, wallClock, type Clock } from './clock.mts';
export type { LoggedEvent } from './dataset/event-log.mts';
export type { License, LicensePage } from './dataset/license.mts';
export { Register, type Listing, type RegisterOptions } from './register/register.mts';
export type { SeenRequest } from './server/request-log.mts';
export type { Aim, Trouble } from './server/trouble.mts';
export type { DeliveryOptions } from './webhooks/deliveries.mts';

export { SHAPES, type ShapeOptions } from './shapes.mts';

interface ServerOptions {
	/** A free port unless given. */
	port?: number;
	/** Extra milliseconds that every answer takes. */
	delay?: number;
	clock?: Clock;
	/** Off unless given, as in the real service today; how deliveries fail is chosen here. */
	webhooks?: boolean | DeliveryOptions;
	/** Turns every answer that departs from openapi.yaml into a 500 that says how. */
	checkAnswers?: boolean;
	/** How many servers share the requests, each of which counts limits for itself: 1 unless given. */
	servers?: number;
}

/** What else the service leaves open, and a register does not settle. */
export const registerShapes = [
	'rateLimits',
	'rateLimitHeaders',
	'errors',
	'deliveries',
	'signatures',
	'deliveredTypes',
] as const;
type RegisterShapes = Pick<ShapeOptions, (typeof registerShapes)[number]>;

export interface SandboxOptions extends ServerOptions, RegisterOptions, RegisterShapes {
	kind?: 'register';
	/** Where the register remembers how far its clock has got. */
	stateFile?: string;
}

/** Everything that the interface leaves open is an option of its own: `shapes.mts` has the table. */
export interface StreamOptions extends ServerOptions, ShapeOptions {
	/** How many records the live dataset starts with: 1,000 unless given. */
	records?: number;
	/** Decides the live dataset; the test dataset is the same everywhere. */
	seed?: number;
	/** Filings a minute in the live dataset: 0, so a still one, unless given. */
	rate?: number;
}

interface Served {
	baseUrl: string;
	keys: Keys;
	readonly credentials: { baseUrl: string; apiKey: string };
	requests: RequestLog;
	trouble: TroubleQueue;
	/** Undefined while webhooks are off. */
	webhooks: { registrations: Registrations; deliveries: Deliveries } | undefined;
	control: { url: string; token: string };
	close(): Promise<void>;
}
export interface Sandbox extends Served {
	register: Register;
}
export interface StreamSandbox extends Served {
	live: LivingDataset;
}

/** A test key's register: the same on every call and every machine. The documents' examples show it. */
const testRegister = (): Register =>
	new Register({
		seed: 4965,
		records: 500,
		rates: { liquorADay: 1, foodADay: 0.3, groceries: 10 },
		start: '2026-03-03T12:00:00Z',
	});

export async function createSandbox(
	options: StreamOptions & { kind: 'stream' },
): Promise<StreamSandbox>;
export async function createSandbox(options?: SandboxOptions): Promise<Sandbox>;
export async function createSandbox(
	options: SandboxOptions | (StreamOptions & { kind: 'stream' }) = {},
): Promise<Sandbox | StreamSandbox> {
	return options.kind === 'stream' ? await streamSandbox(options) : await registerSandbox(options);
}

async function registerSandbox(options: SandboxOptions): Promise<Sandbox> {
	const { clock = wallClock, stateFile } = options;
	const shapes = shapesFrom({ rateLimits: 'plan3000', rateLimitHeaders: 'epoch', ...options });
	const register = stateFile ? registerKeptIn(stateFile, options) : new Register(options);
	const test = testRegister();
	const trouble = new TroubleQueue();
	const webhooks = webhooksOf(options, clock, shapes);
	register.onListing(({ license, previousStatus }) =>
		webhooks?.deliveries.announce({ license, shown: license, previousStatus }),
	);
	// Whoever asks for a list catches up; deliveries and the playground's page wait for the next one.
	const isAwaited = webhooks !== undefined || stateFile !== undefined;
	const stopWatching = isAwaited
		? watched(
				clock,
				() => register.catchUp(),
				() => register.clock.realFor(register.untilRefresh),
			)
		: () => {};
	const served = await serve(options, shapes, webhooks, trouble, 'test', {
		now: () => clock.now(),
		stopWatching,
		licenses: {
			addRoutes: (server) =>
				addRegisterRoutes(server, {
					registerOf: (request) => (request.visit?.key === 'live' ? register : test),
					pageTurned: () => trouble.pageTurned(),
				}),
			addControl: (server) => addRegisterControl(server, register),
			catchUp: () => register.catchUp(),
		},
	});
	return Object.assign(served, { register });
}

async function streamSandbox(options: StreamOptions): Promise<StreamSandbox> {
	const { records = 1000, seed = 1, rate = 0, clock = wallClock } = options;
	const shapes = shapesFrom(options);
	const live = new LivingDataset(generatedDataset(seed, records, clock.now(), shapes), clock, rate);
	const test = testDataset(shapes);
	const trouble = new TroubleQueue();
	const webhooks = webhooksOf(options, clock, shapes);
	live.onEvent((event) => webhooks?.deliveries.announce(event));
	const stopWatching = webhooks
		? watched(
				clock,
				() => live.catchUp(),
				() => live.untilNextArrival,
			)
		: () => {};
	const now = () => live.now();
	const served = await serve(options, shapes, webhooks, trouble, 'refused', {
		now,
		stopWatching,
		licenses: {
			addRoutes: (server) =>
				addLicenseRoutes(server, {
					shapes,
					now,
					datasetOf: (request) => (request.visit?.key === 'test' ? test : live.dataset),
					pageTurned: () => trouble.pageTurned(),
				}),
			catchUp: () => live.catchUp(),
		},
	});
	return Object.assign(served, { live });
}

async function serve(
	options: ServerOptions,
	shapes: Shapes,
	webhooks: Served['webhooks'],
	trouble: TroubleQueue,
	withoutKey: 'refused' | 'test',
	{ stopWatching, ...own }: Pick<Parts, 'now' | 'licenses'> & { stopWatching: () => void },
): Promise<Served> {
	const keys = new Keys('ls_test_example', 'ls_live_example', withoutKey);
	const requests = new RequestLog();
	const controlToken = randomBytes(16).toString('hex');
	const server = buildServer({
		...own,
		keys,
		trouble,
		requests,
		clock: options.clock ?? wallClock,
		shapes,
		delay: options.delay ?? 0,
		servers: options.servers ?? 1,
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
		requests,
		trouble,
		webhooks,
		control: { url: `${origin}${CONTROL_PREFIX}`, token: controlToken },
		close: async () => {
			stopWatching();
			webhooks?.deliveries.close();
			await server.close();
		},
	};
}

function webhooksOf({ webhooks }: ServerOptions, clock: Clock, shapes: Shapes): Served['webhooks'] {
	if (!webhooks) return undefined;
	const registrations = new Registrations();
	const options = webhooks === true ? {} : webhooks;
	return {
		registrations,
		deliveries: new Deliveries(registrations, clock, shapes, options),
	};
}

/** What is due must come even if nobody looks at the list. Returns what stops it. */
function watched(clock: Clock, catchUp: () => void, untilDue: () => number): () => void {
	let isWatched = true;
	const watch = async (): Promise<void> => {
		while (isWatched && untilDue() < Number.POSITIVE_INFINITY) {
			// No timer waits longer than an hour, so that one that was moved is noticed.
			await clock.sleep(Math.min(Math.max(untilDue(), 10), 3_600_000));
			if (isWatched) catchUp();
		}
	};
	void watch();
	return () => {
		isWatched = false;
	};
}
