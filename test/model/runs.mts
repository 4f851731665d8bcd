import type fc from 'fast-check';

import { crowdedHistory, largeHistory, smallHistory, type History } from './trigger-history.mts';
import { FULL_MEMORY } from './trigger-player.mts';
import type { Memory } from './trigger-under-test.mts';

/** One way to play. */
export interface Kind {
	histories: fc.Arbitrary<History>;
	memory: Memory;
}

/**
 * A memory that short histories can fill. Until the baseline has been read, up to 500 events since it began are
 * remembered, too.
 */
const SMALL_MEMORY: Memory = { bytes: 2_304, bytesDuringBaseline: 10_240, events: 60 };

export const kinds = {
	usual: { histories: smallHistory, memory: FULL_MEMORY },
	crowded: { histories: crowdedHistory, memory: SMALL_MEMORY },
	large: { histories: largeHistory, memory: FULL_MEMORY },
} satisfies Record<string, Kind>;
