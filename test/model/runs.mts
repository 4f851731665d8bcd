import type fc from 'fast-check';

import { crowdedHistory, largeHistory, smallHistory, type History } from './trigger-history.mts';
import { FULL_MEMORY, type World } from './trigger-player.mts';
import type { Memory } from './trigger-under-test.mts';

/** One way to play. */
export interface Kind {
	histories: fc.Arbitrary<History>;
	memory: Memory;
	world: World;
}

/**
 * A memory that short histories can fill. Until the baseline has been read, up to 500 events since it began are
 * remembered, too.
 */
const SMALL_MEMORY: Memory = { bytes: 2_304, bytesDuringBaseline: 10_240, events: 60 };

export const kinds = {
	promised: { histories: smallHistory, memory: FULL_MEMORY, world: 'promised' },
	hostile: { histories: smallHistory, memory: FULL_MEMORY, world: 'hostile' },
	crowded: { histories: crowdedHistory, memory: SMALL_MEMORY, world: 'hostile' },
	large: { histories: largeHistory, memory: FULL_MEMORY, world: 'promised' },
	largeHostile: { histories: largeHistory, memory: FULL_MEMORY, world: 'hostile' },
} satisfies Record<string, Kind>;
