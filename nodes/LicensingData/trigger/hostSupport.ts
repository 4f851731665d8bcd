import type { IPollFunctions } from 'n8n-workflow';

type Log = Pick<IPollFunctions, 'logger'>;

/**
 * What the trigger uses of n8n beyond its public interface, and what is lost without it. Another version of
 * n8n may have renamed it, so each is looked for, and its absence is said instead of suffered.
 */
const WITHOUT = {
	emit: 'This version of n8n does not let the trigger see whether n8n took over the events of a poll. If its database refuses a write at that moment, they do not come again; if n8n stops, they come again only if it is back within five minutes.',
	donePromise:
		'This version of n8n does not tell the trigger whether it could start an execution. If it could not, the events do not come again before n8n restarts.',
	durableCursors:
		'This version of n8n does not say how it saves what the trigger remembers. Events that arrive within five minutes of a restart may come twice.',
	emitError:
		'This version of n8n cannot show a page that could not be read as a failed execution. It is in this log alone.',
};

const said = new Set<string>();

/** Once a process: it does not change while n8n runs. */
export function sayLack({ logger }: Log, lack: keyof typeof WITHOUT): void {
	if (said.has(lack)) return;
	said.add(lack);
	logger.warn(WITHOUT[lack]);
}
