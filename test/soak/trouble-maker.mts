import { randomSequence } from '../../sandbox/dataset/random.mts';
import type { Sandbox, Trouble } from '../../sandbox/index.mts';
import type { Poller } from '../support/poller.mts';

const HOUR = 3_600_000;
const MOST_PENDING = 20;
const BUDGETS = [60_000, 60_000, 10_000, 2_000];

export interface TroubleMaker {
	restarts: number;
	/** For how many milliseconds nobody polls. */
	downtime(): number;
	/** What happens around the next poll. */
	next(): void;
	/** From now on, everything goes well. */
	stop(): void;
}

/** The same troubles for the same seed. */
export function troubleMaker(sandbox: Sandbox, poller: Poller, seed: number): TroubleMaker {
	const { live, trouble } = sandbox;
	const random = randomSequence(seed);
	const happens = (chance: number) => random() < chance;
	const upTo = (most: number) => 1 + Math.floor(random() * most);
	const pick = <Value,>(values: Value[]): Value => values[upTo(values.length) - 1] as Value;

	const kinds: Array<() => Trouble> = [
		() => ({ kind: 'rateLimit', retryAfter: upTo(5) }),
		() => ({ kind: 'rateLimit' }),
		() => ({ kind: 'error', status: pick([500, 502, 503]) }),
		() => ({ kind: 'htmlPage' }),
		() => ({ kind: 'droppedConnection' }),
		() => ({ kind: 'droppedBody' }),
		() => ({ kind: 'truncatedBody' }),
		() => ({ kind: 'wrongShape' }),
		() => ({ kind: 'expiredCursor' }),
	];

	trouble.betweenPages(() => {
		if (happens(0.2)) live.churn({ insert: upTo(3), update: upTo(2) });
		if (happens(0.01)) live.churn({ remove: 1 });
	});

	const maker: TroubleMaker = {
		restarts: 0,
		downtime: () => (happens(0.0005) ? upTo(72) * HOUR : 0),
		next() {
			poller.budget = pick(BUDGETS);
			if (happens(0.02) && trouble.pending < MOST_PENDING)
				trouble.next(pick(kinds)(), { times: upTo(8), after: upTo(3) - 1 });
			if (happens(0.005)) live.churn({ update: upTo(20), remove: upTo(3) });
			if (happens(0.002)) live.burst(upTo(200));
			if (happens(0.0002)) live.burst(upTo(2500));
			if (happens(0.003)) {
				maker.restarts++;
				poller.restart();
			}
		},
		stop() {
			trouble.clear();
			poller.budget = 60_000;
		},
	};
	return maker;
}
