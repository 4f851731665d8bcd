/**
 * The service, to try and to test against: a register as a state keeps it, over HTTP.
 *
 *   const sandbox = await createSandbox({ records: 1000 });
 *   sandbox.credentials        the address and the live key, as a user enters them; `keys` has both
 *   sandbox.register           what the live key's answers come from: `all` is the truth that tests count against,
 *                              `advance` brings lists, `file` and `change` plant, `listings` says what has come
 *   sandbox.requests           what has been asked
 *   sandbox.trouble            what goes wrong next
 *   sandbox.webhooks           registrations and deliveries, once on
 *   sandbox.control            address and token of the same over HTTP
 *   await sandbox.close()
 */
import { randomBytes } from 'node:crypto';

import type { Account } from '../server/accounts.mts';
import { wallClock, type Clock } from '../server/clock.mts';
import { slug, type License } from '../server/license.mts';
import { startServer } from '../server/server.mts';
import { Deliveries } from '../server/webhooks/deliveries.mts';
import { Registrations } from '../server/webhooks/registrations.mts';
import { addWebhookRoutes } from '../server/webhooks/webhook-routes.mts';
import { Keys, type KeyKind } from './keys.mts';
import { seats } from './register/florida.mts';
import { Register, type RegisterOptions } from './register/register.mts';
import { registerKeptIn } from './register/state.mts';
import { shapesFrom, type ShapeOptions } from './shapes.mts';
import { addControlRoutes } from './trouble/control-routes.mts';
import { addReception } from './trouble/reception.mts';
import { RequestLog } from './trouble/request-log.mts';
import { TroubleQueue } from './trouble/trouble.mts';

export { wallClock, type Clock } from '../server/clock.mts';
export type { License, LicensePage } from '../server/license.mts';
export { simulatedClock } from './clock.mts';
export { Register, type Listing, type RegisterOptions } from './register/register.mts';
export type { SeenRequest } from './trouble/request-log.mts';
export type { Aim, Trouble } from './trouble/trouble.mts';

/** Everything that the interface leaves open is an option of its own: `shapes.mts` has the table. */
export interface SandboxOptions extends RegisterOptions, ShapeOptions {
	/** A free port unless given. */
	port?: number;
	/** Names by which it may be asked, besides this machine's own. */
	hosts?: readonly string[];
	/** Extra milliseconds that every answer takes. */
	delay?: number;
	/** Off unless given, as in the real service today. */
	webhooks?: boolean;
	/** Where the register remembers which lists there have been. */
	stateFile?: string;
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

const COUNTIES = new Set(seats.map(({ county }) => slug(county)));

/** A test key's register: the same on every call and every machine. The documents' examples show it. */
const TEST = {
	seed: 5591,
	records: 500,
	rates: { liquorADay: 1, foodADay: 0.3, groceries: 10 },
	today: '2026-03-03',
};

const CONTROL_PREFIX = '/_sandbox';

export async function createSandbox(options: SandboxOptions = {}) {
	const { clock = wallClock, stateFile, port = 0, hosts = [], delay = 0 } = options;
	const shapes = shapesFrom(options);
	const registrations = new Registrations();
	const deliveries = new Deliveries(registrations, clock);
	const webhooks = options.webhooks ? { registrations, deliveries } : undefined;
	// The test key's licenses never change.
	const onListing = (license: License) => webhooks?.deliveries.announce('live', license);
	const own = { ...options, onListing };
	const register = stateFile ? registerKeptIn(stateFile, own, shapes) : new Register(own, shapes);
	const stopWatching = watched(clock, register);
	const keys = new Keys();
	const trouble = new TroubleQueue();
	const requests = new RequestLog();
	const token = randomBytes(16).toString('hex');
	const registers = { test: new Register(TEST, shapes), live: register };
	const account = (name: KeyKind): Account => ({
		...{ name, register: registers[name], perMinute: shapes.rateLimits?.[name] },
		get key() {
			return keys[name];
		},
	});
	const server = await startServer({
		...{ port, names: hosts, answers: shapes, now: () => clock.now() },
		accounts: [account('test'), account('live')],
		extend(scope) {
			addReception(scope, { trouble, requests, clock, delay });
			const control = { register, trouble, requests, token };
			void scope.register(async (inner) => addControlRoutes(inner, control), {
				prefix: CONTROL_PREFIX,
			});
		},
		extendInterface: (scope) => webhooks && addWebhookRoutes(scope, registrations, COUNTIES),
	});
	const { baseUrl } = server;
	return {
		...{ baseUrl, keys, register, requests, trouble, webhooks },
		get credentials() {
			return { baseUrl, apiKey: keys.live };
		},
		control: { url: `${server.origin}${CONTROL_PREFIX}`, token },
		close: async () => {
			stopWatching();
			webhooks?.deliveries.close();
			await server.close();
		},
	};
}

/** What is due must come even if nobody looks at the list. Returns what stops it. */
function watched(clock: Clock, register: Register): () => void {
	let isWatched = true;
	const watch = async (): Promise<void> => {
		while (isWatched && register.untilRefresh < Infinity) {
			// No timer waits longer than an hour, so that one that was moved is noticed.
			await clock.sleep(Math.min(Math.max(register.untilRefresh, 10), 3_600_000));
			if (isWatched) register.catchUp();
		}
	};
	void watch();
	return () => {
		isWatched = false;
	};
}
