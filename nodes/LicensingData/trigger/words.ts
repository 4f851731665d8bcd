import { Failure } from '../licenses/failure';
import { formatWait } from '../licenses/readableText';

/** A trigger asks again by itself. What an operation says of running the workflow again does not fit it. */
export function inTriggerWords(error: unknown, isPublishing: boolean): unknown {
	if (!(error instanceof Failure) || error.kind === 'refused') return error;
	const { retryAfter, isTransient, status } = error;
	const when = retryAfter === undefined ? undefined : `in ${formatWait(retryAfter)}`;
	const next = isPublishing
		? `The workflow is not published. Publish it again${when ? ` ${when}` : ''}${isTransient ? '' : ', once that is settled'}.`
		: `Nothing is lost: the trigger asks again ${when ?? 'with its next poll'}, and what is filed meanwhile comes then.`;
	const lasting =
		status === 429
			? 'If it happens often, poll less often, or choose a plan with a higher limit.'
			: "If it keeps happening, ask the service's support.";
	return error.withWords((advice) => (isTransient ? `${next} ${lasting}` : `${advice} ${next}`));
}

/** A page further down that fails in one poll after the other. */
export function belowIsUnwatched(error: unknown, isCut: boolean): unknown {
	if (!(error instanceof Failure)) return error;
	const later = isCut
		? 'what is listed there by then does not come'
		: 'what is new there comes then';
	return error.withWords(
		() =>
			`A page of the list failed in three polls. What stands below it is not watched until it can be read, and ${later}. If it keeps happening, ask the service's support.`,
	);
}
