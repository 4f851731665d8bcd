import type { License, Sandbox } from '../../sandbox/index.mts';
import { EVENT_TYPES } from '../../nodes/LicensingData/licenses/knownValues.ts';

export const keyOf = ({ id, eventType, eventTimestamp }: Partial<License>) =>
	`${id} ${eventType} ${eventTimestamp}`;

/**
 * Many at once of a type that was not listed, or more than 150 of one day, would be a source that was added: the trigger
 * reports such filings, and does not send them.
 */
const BURSTS = 'COP';

const DAY = 86_400_000;
const upTo = (most: number) => Math.floor(Math.random() * most) + 1;
const oneIn = (chances: number) => Math.random() < 1 / chances;

/** What reaches the list in a round, and the truth about it. */
export class Feed {
	private filed = 0;
	private times = 0;
	/** What was there before anything was watched; each changes at most once, so that no event is hidden. */
	private readonly old: string[];

	constructor(private readonly sandbox: Sandbox) {
		const renewed = sandbox.register.all({ event_type: 'renewal' });
		this.old = renewed.map(({ id }) => id);
		sandbox.register.fileMany(10, { licenseType: BURSTS });
		this.takeFiled();
	}

	/**
	 * A few filings; now and then a cancellation; before the first fault, and each second fault from there, more than a
	 * page of filings; at night a late one, too: full readings find it, and they take minutes.
	 */
	file(): void {
		const { register } = this.sandbox;
		for (let left = upTo(3); left > 0; left--) {
			register.file({ eventType: EVENT_TYPES[upTo(EVENT_TYPES.length) - 1]?.value });
		}
		if (process.env.NIGHTLY && oneIn(3)) {
			const filed = Date.parse(register.day) - upTo(50) * DAY;
			register.file({ filedDate: new Date(filed).toISOString().slice(0, 10) });
		}
		if (oneIn(3)) {
			const cancelled = { eventType: 'cancellation', status: 'cancelled' };
			register.change(this.old.pop() ?? '', cancelled);
		}
		if (this.times++ % 4 === 1) register.fileMany(50 + upTo(30), { licenseType: BURSTS });
	}

	/** Files one license. */
	mark(): string {
		return keyOf(this.sandbox.register.file());
	}

	/** The keys of what became visible since the last time this was asked. */
	takeFiled(): string[] {
		const events = this.sandbox.register.listings.slice(this.filed);
		this.filed += events.length;
		return events.map(({ license }) => keyOf(license));
	}
}
