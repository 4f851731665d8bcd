import type { License } from './license.mts';

/** One event: a record as it was from the moment it became visible in the list. */
export interface LoggedEvent {
	id: string;
	eventType: string | null;
	eventTimestamp: string | null;
	county: string | null;
	licenseType: string | null;
	status: string | null;
	/** When the list began to show it, in the sandbox's time. */
	visibleAt: string;
	/** When an update or a removal took it out of the list again; null while it is shown. */
	hiddenAt: string | null;
}

/**
 * Every event since the sandbox started, in the order they became visible. This is the truth that tests count
 * against. It leaves out the records that the dataset started with.
 */
export class EventLog {
	readonly events: LoggedEvent[] = [];
	private readonly shown = new Map<number, LoggedEvent>();

	show(serial: number, license: License, at: string): void {
		const event: LoggedEvent = {
			id: license.id,
			eventType: license.eventType,
			eventTimestamp: license.eventTimestamp,
			county: license.address?.county ?? null,
			licenseType: license.licenseType,
			status: license.status,
			visibleAt: at,
			hiddenAt: null,
		};
		this.events.push(event);
		this.shown.set(serial, event);
	}

	hide(serial: number, at: string): void {
		const event = this.shown.get(serial);
		if (event) event.hiddenAt = at;
		this.shown.delete(serial);
	}
}
