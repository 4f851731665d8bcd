import type { IPollFunctions } from 'n8n-workflow';

import { FeedPoll } from './feed/feedPoll';
import type { FeedInput } from './feed/types';
import type { License } from '../licenses/license';
import type { TriggerSession } from './session';
import type { ReportContext, Reports } from './reports';

type SessionContext = ReportContext & Partial<Pick<IPollFunctions, '__commitCursor'>>;

interface SessionInput extends FeedInput<License> {
	session: TriggerSession;
}

/** One poll: what is new, ready to be handed to n8n, or null. What it has seen is committed last. */
export async function runSession<Items>(
	input: SessionInput,
	context: SessionContext,
	reports: Reports,
	prepare: (events: License[]) => Items,
): Promise<Items | null> {
	const { session, lists } = input;
	const poll = new FeedPoll<License>(input);
	// So that other triggers of this process see how much of the memory it takes up meanwhile.
	session.keep(poll.progress);
	const outcome = await poll.run();
	// Not even one first page could be read. n8n is told, and nothing is committed.
	if ('failure' in outcome) throw outcome.failure;
	if (!session.lastState && !session.isNew) reports.aboutUnknownState(context);
	// Until the commit, the events are neither in the queue nor seen: if this fails, they are read again.
	session.keep(undefined);
	reports.about(outcome, context, lists.now);

	const items = prepare(outcome.events);
	session.commit(outcome);
	if (outcome.events.length > 0) return items;
	// With durable cursors, n8n drops what a silent poll has seen while the workflow was being published. The
	// quiet start would then come with the first scheduled poll, and swallow what was filed until then. n8n
	// means this call for its own engine, but there is no other way to have a silent first reading saved.
	const wasReadingFirst =
		outcome.hasUnknownList || outcome.lists.some(({ isNewlyKnown }) => isNewlyKnown);
	if (wasReadingFirst) await context.__commitCursor?.();
	return null;
}
