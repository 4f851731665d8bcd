import { Failure } from '../domain/failure';
import { formatWait } from '../domain/readableText';
import { MOST_AT_ONCE } from './concurrency';
import { quotasIn } from './quotaHeaders';
import { LONGEST_RETRY_AFTER } from './retry';

/** Milliseconds that one run waits for its quota, all in all. */
const MOST_WAITING = 600_000;

/** Milliseconds. If the service does not say when a quota is renewed, this is tried once. */
const USUAL_WINDOW = 60_000;

/** Milliseconds. Renewals are announced in whole seconds. */
const ROUNDING = 2_000;

/** What is known of one of the plan's quotas. */
interface Known {
	/** As far as it has been seen, if the service does not say. */
	limit: number;
	isLimitSaid: boolean;
	remaining: number;
	/** When it is renewed, if the service says so, and how long one lasts, as far as it has been seen. */
	renewedAt?: number;
	window: number;
	/** Whether it is only assumed to be renewed, and one request is to find out. */
	isAssumed?: boolean;
}

/** What is known of the plan's quotas, and what has been done about them, from one input item to the next. */
export interface KnownQuota {
	quotas?: Map<string, Known>;
	/** Milliseconds spent on waiting. */
	waited?: number;
	/** How many waits in a row brought nothing. */
	vain?: number;
}

/** Left to whatever else uses the same key, such as a trigger: a tenth, at least one, if there is more than one. */
const keptOf = (limit: number): number => (limit > 1 ? Math.ceil(limit / 10) : 0);

const availableOf = ({ limit, remaining }: Known): number => remaining - keptOf(limit);

/** Uses all of the plan's quota but a tenth, and decides how long to wait for the next, or that it takes too long. */
export class QuotaPolicy {
	constructor(private readonly known: KnownQuota) {}

	/** Takes note of what the headers of an answer say. */
	observe(headers: Record<string, unknown>): void {
		const quotas = (this.known.quotas ??= new Map<string, Known>());
		for (const { name, remaining, ...said } of quotasIn(headers)) {
			const last = quotas.get(name);
			const renewedAt = said.renewedIn === undefined ? undefined : Date.now() + said.renewedIn;
			// Answers may arrive out of order, so a slightly higher number does not mean a renewal.
			const isRenewed =
				last === undefined ||
				last.isAssumed === true ||
				remaining > last.remaining + MOST_AT_ONCE ||
				(renewedAt ?? 0) > (last.renewedAt ?? Number.POSITIVE_INFINITY) + ROUNDING;
			const quota = {
				limit: said.limit ?? Math.max(last?.limit ?? 0, remaining),
				isLimitSaid: said.limit !== undefined,
				remaining: isRenewed ? remaining : Math.min(remaining, last.remaining),
				renewedAt,
				window: said.window ?? Math.max(last?.window ?? 0, said.renewedIn ?? 0),
			};
			quotas.set(name, quota);
			if (last?.isAssumed)
				this.known.vain = availableOf(quota) < 0 ? (this.known.vain ?? 0) + 1 : 0;
		}
	}

	/** Whether one more request may go out, as far as is known. */
	allows(underWay: number): boolean {
		return this.quotas.every((quota) => availableOf(quota) > underWay);
	}

	/** Refuses at once what would have to wait too long. Says nothing where the service does not say when. */
	expect(requests: number): void {
		for (const quota of this.quotas) {
			if (quota.renewedAt !== undefined) this.expectInTime(quota, requests);
		}
	}

	/** Milliseconds until one more request may go out, or a Failure. After the wait, one request finds out. */
	awaitRenewal(requests: number): number {
		const short = this.quotas.filter((quota) => availableOf(quota) <= 0);
		for (const quota of short) this.expectInTime(quota, requests);
		const { vain = 0 } = this.known;
		const isSilent = short.some(({ renewedAt }) => renewedAt === undefined);
		const wait = Math.max(vain > 0 ? USUAL_WINDOW : 0, ...short.map(untilRenewal));
		const waited = (this.known.waited ?? 0) + wait;
		const [tightest] = short;
		if (tightest && (vain > (isSilent ? 0 : 1) || waited > MOST_WAITING)) {
			throw usedUp(tightest, isSilent ? undefined : wait);
		}
		this.known.waited = waited;
		for (const quota of short) {
			quota.isAssumed = true;
			quota.remaining = keptOf(quota.limit) + 1;
		}
		return wait;
	}

	private expectInTime(quota: Known, requests: number): void {
		const left = requests - Math.max(0, availableOf(quota));
		if (left <= 0) return;
		const first = untilRenewal(quota);
		const perRenewal = quota.limit - keptOf(quota.limit);
		// Without a limit, nobody knows what the next renewal brings.
		const renewals = quota.isLimitSaid ? Math.ceil(left / perRenewal) : 1;
		const wait = first + (renewals - 1) * quota.window;
		const isTooLong = first > LONGEST_RETRY_AFTER;
		if (isTooLong && (requests === 1 || !quota.isLimitSaid)) throw usedUp(quota, first);
		if (isTooLong || wait > MOST_WAITING - (this.known.waited ?? 0)) {
			throw tooSmall(quota, requests, wait);
		}
	}

	private get quotas(): Known[] {
		return [...(this.known.quotas?.values() ?? [])];
	}
}

const untilRenewal = ({ renewedAt }: Known): number =>
	renewedAt === undefined ? USUAL_WINDOW : Math.max(0, renewedAt - Date.now());

const WAYS_OUT =
	"Ask for less with 'Filters' or 'Limit', run the workflow later, or choose a plan with a higher limit. To use what is kept for triggers as well, set a number in 'Parallel Requests' under 'Options'.";

const KEPT = 'is kept for triggers that use the same key';

function usedUp({ limit, isLimitSaid }: Known, wait: number | undefined): Failure {
	const when =
		wait === undefined
			? 'The service does not say when it is renewed.'
			: `It is renewed in ${formatWait(wait)}.`;
	return new Failure(
		'status',
		'The quota of the plan is nearly used up',
		`${when} The last tenth of its ${isLimitSaid ? `${limit} ` : ''}requests ${KEPT}. ${WAYS_OUT}`,
	);
}

function tooSmall({ limit }: Known, requests: number, wait: number): Failure {
	return new Failure(
		'status',
		'The quota of the plan is too small for this list',
		`It takes about ${requests} more requests. The quota is ${limit}, of which a tenth ${KEPT}, so the node would wait about ${formatWait(wait)} for it to be renewed; it waits ${formatWait(MOST_WAITING)} at most. ${WAYS_OUT}`,
	);
}
