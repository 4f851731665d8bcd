/**
 * Whatever a service sends is bounded by these four numbers, where answers are read. What comes behind relies
 * on them, and defends itself no second time.
 */

/** In characters of JSON. A license is about a thousand. */
export const LARGEST_RECORD = 100_000;

/** In one answer. A page of fifty licenses has about two thousand. */
export const MOST_VALUES = 20_000;

/** In characters, of a text that is compared with others. */
export const LONGEST_COMPARED = 1_000;

/** In characters. */
export const LONGEST_ID = 300;
