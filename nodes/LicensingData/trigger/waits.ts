import type { IPollFunctions } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import type { Service } from '../service/request';

/** As long as n8n's own back-off. A service that asks for days by mistake must not silence a trigger for days. */
const LONGEST_WAIT = 3_600_000;

/**
 * Until when the service has asked not to be asked again, whichever page it was, and what it said. A limit is that of
 * a key, so all triggers of the process wait that use it. n8n has a back-off of its own, but only with durable cursors,
 * and only for polls that throw, which a poll does for the first page alone.
 */
const waits = new Map<string, { until: number; failure: Failure }>();

/** What the service said, if it is too early to ask again. */
export function waitAskedFor(key: string): Failure | undefined {
	const { until = 0, failure } = waits.get(key) ?? {};
	const left = until - Date.now();
	// A clock that was set back must not make the wait longer.
	if (left > 0 && left <= LONGEST_WAIT) return failure;
	waits.delete(key);
	return undefined;
}

/** The same service; what it asks for is noted. */
export const notingWaits = (
	key: string,
	service: Service,
	{ logger }: Pick<IPollFunctions, 'logger'>,
): Service => {
	const noting = async <T>(...[request, read]: Parameters<typeof service<T>>) =>
		await service(request, read).catch((error: unknown) => {
			if (error instanceof Failure && error.retryAfter) {
				const until = Date.now() + Math.min(error.retryAfter, LONGEST_WAIT);
				waits.set(key, { until, failure: error });
				logger.warn(
					`The service asks to wait (${error.message}). Until ${new Date(until).toISOString()}, polls with this key do nothing.`,
				);
			}
			throw error;
		});
	return Object.assign(noting, { throttle: service.throttle });
};
