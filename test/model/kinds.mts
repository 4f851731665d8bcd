import type { Session } from '../../nodes/LicensingData/trigger/run.ts';

/** How much a trigger may remember, beside the same histories. */
export const kinds = {
	/** Histories of lists of sixty fit. */
	roomy: { events: 3_000, pages: 400 },
	/** Lists are cut. */
	crowded: { events: 40, pages: 8 },
} satisfies Record<string, Session['limits']>;
