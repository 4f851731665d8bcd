import type { License } from '../../sandbox/index.mts';
import type { LoggedEvent, Sandbox } from '../../sandbox/index.mts';
import { eventTypes } from '../../sandbox/dataset/license.mts';

export const keyOf = ({ id, eventType, eventTimestamp }: Partial<License> | LoggedEvent) =>
	`${id} ${eventType} ${eventTimestamp}`;

const upTo = (most: number) => Math.floor(Math.random() * most) + 1;
const oneIn = (chances: number) => Math.random() < 1 / chances;

/** What reaches the list in a round, and the truth about it. */
export class Feed {
	private filed = 0;
	/** What was there before anything was watched; each changes at most once, so that no event is hidden. */
	private readonly old: string[];

	constructor(private readonly sandbox: Sandbox) {
		this.old = sandbox.register.all().map(({ id }) => id);
	}

	/**
	 * A few filings; now and then several in one second, a renewal, or more than a page of them; at night a late one, too:
	 * full readings find it, and they take minutes.
	 */
	file(): void {
		const { live } = this.sandbox;
		for (let left = upTo(3); left > 0; left--) {
			register.file({ eventType: eventTypes[upTo(eventTypes.length) - 1] });
		}
		if (process.env.NIGHTLY && oneIn(3)) live.late(upTo(10));
		if (oneIn(3)) register.change(this.old.pop() ?? '');
		if (oneIn(8)) register.fileMany(50 + upTo(30));
	}

	/** Files one license. */
	mark(): string {
		return keyOf(this.sandbox.register.file());
	}

	/** The keys of what became visible since the last time this was asked. */
	takeFiled(): string[] {
		const events = this.sandbox.live.events.slice(this.filed);
		this.filed += events.length;
		return events.map(keyOf);
	}
}
