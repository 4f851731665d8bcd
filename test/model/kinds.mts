import type { Limits } from '../../nodes/LicensingData/trigger/feed/types.ts';

/** How much a trigger may remember, beside the same histories. */
export const kinds = {
	/** Histories of lists of sixty fit. */
	roomy: { events: 3_000, pages: 400, newAtOnce: 500 },
	/** Lists are cut, and a few at once are too many. */
	crowded: { events: 40, pages: 8, newAtOnce: 12 },
} satisfies Record<string, Limits>;
