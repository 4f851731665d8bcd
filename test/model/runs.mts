import type fc from 'fast-check';

import { crowdedHistory, largeHistory, smallHistory, type History } from './trigger-history.mts';
import { FULL_ROOM, type World } from './trigger-player.mts';

/** One way to play. */
export interface Kind {
	histories: fc.Arbitrary<History>;
	/** How many events the memory has room for. */
	room: number;
	world: World;
}

/** A memory that short histories can fill. */
const SMALL_ROOM = 60;

export const kinds = {
	promised: { histories: smallHistory, room: FULL_ROOM, world: 'promised' },
	hostile: { histories: smallHistory, room: FULL_ROOM, world: 'hostile' },
	crowded: { histories: crowdedHistory, room: SMALL_ROOM, world: 'hostile' },
	large: { histories: largeHistory, room: FULL_ROOM, world: 'promised' },
	largeHostile: { histories: largeHistory, room: FULL_ROOM, world: 'hostile' },
} satisfies Record<string, Kind>;
