/** The most licenses that the service puts on one page. */
export const MAX_PAGE_SIZE = 50;

/**
 * Whatever a service sends is bounded by these numbers, where answers are read. What comes behind relies on
 * them, and defends itself no second time.
 */

/** In characters of JSON. A license is about a thousand. */
export const MAX_RECORD = 100_000;

/** In one answer. A page of fifty licenses has about two thousand. */
export const MAX_VALUES = 20_000;

/** In characters. */
export const MAX_ID = 300;
