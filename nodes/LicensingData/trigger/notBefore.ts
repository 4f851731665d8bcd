import type { IPollFunctions } from 'n8n-workflow';

import { Failure } from '../domain/failure';
import type { Service } from '../transport/request';

/** As long as n8n's own back-off. A service that asks for days by mistake must not silence a trigger for days. */
const LONGEST_WAIT = 3_600_000;

interface Wait {
	until: number;
	/** What the service said. */
	failure: Failure;
}

/**
 * Until when the service has asked not to be asked again, whichever page it was. A limit is that of a key, so
 * all triggers of the process wait that use it. n8n has a back-off of its own, but only with durable cursors,
 * and only for polls that throw, which a poll does for the first page alone.
 */
export class NotBefore {
	private readonly waits = new Map<string, Wait>();

	constructor(private readonly clock = () => Date.now()) {}

	/** What the service said, if it is too early to ask again. */
	failureFor(key: string): Failure | undefined {
		const { until, failure } = this.waits.get(key) ?? {};
		const left = (until ?? 0) - this.clock();
		// A clock that was set back must not make the wait longer.
		if (left > 0 && left <= LONGEST_WAIT) return failure;
		this.waits.delete(key);
		return undefined;
	}

	/** The same service; what it asks for is noted. */
	noting(key: string, service: Service, { logger }: Pick<IPollFunctions, 'logger'>): Service {
		const note = (error: unknown) => {
			if (!(error instanceof Failure) || !error.retryAfter) return;
			const until = this.clock() + Math.min(error.retryAfter, LONGEST_WAIT);
			this.waits.set(key, { until, failure: error });
			logger.warn(
				`The service asks to wait (${error.message}). Until ${new Date(until).toISOString()}, polls with this key do nothing.`,
			);
		};
		return async (request, read) => {
			const asked = service(request, read);
			asked.catch(note);
			return await asked;
		};
	}
}
