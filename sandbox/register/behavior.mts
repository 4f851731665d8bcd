/**
 * How a real register behaves, in numbers. Sizes and daily counts are those of all Florida; a smaller register
 * has its share of them, unless a test says otherwise.
 */
const SIZES = { liquor: 53_000, food: 55_000 };
export const WHOLE = SIZES.liquor + SIZES.food;

/** These depend on how much of Florida the register holds. */
const COUNTS = {
	/** New filings. */
	liquorADay: 22,
	foodADay: 17,
	/** Their source has no date, so that they show today's every day. */
	groceries: 700,
	/** Events of old licenses; a choice, since nobody has counted them. */
	transfersADay: 4,
	statusChangesADay: 3,
	cancellationsADay: 2,
	addressChangesADay: 2,
	/** How many licenses the provider corrects from COP to SRX in one night of seventeen. */
	corrections: 20,
};

/** From 0 to 1. */
const SHARES = {
	/** Of the licenses that were there before. */
	liquor: SIZES.liquor / WHOLE,
	/**
	 * Of the new liquor filings of a type, so many are an old license in new hands: of 2COP 14 %, of 4COP, which SRX
	 * are, 37 %, of 2APS 37 %, and every 3PS, which is a quarter of BEV.
	 */
	newHolders: { COP: 0.23, SRX: 0.37, APS: 0.37, BEV: 0.28 } as Readonly<Record<string, number>>,
	amended: 0.04,
	numberTwice: 136 / 52_646,
	escrow: 0.02,
	/** Of liquor licenses: holders out of state. The state's food licenses all name one. */
	withoutCounty: 0.01,
	withCoordinates: 0.08,
	withPhone: 61 / 460,
	/** Licenses whose renewal is late, so that they expire on 1 April or 1 October. */
	renewedLate: 0.12,
};

export type Rates = typeof COUNTS & typeof SHARES;

export function ratesFor(records: number, changes: Partial<Rates> = {}): Rates {
	const counts = Object.entries(COUNTS).map(([name, count]) => [name, (count * records) / WHOLE]);
	return { ...(Object.fromEntries(counts) as typeof COUNTS), ...SHARES, ...changes };
}

/** How many days a new liquor filing counts as one; then the same record is a renewal. */
export const NEW_FOR_DAYS = 60;

/**
 * Days from filing to the day on which a liquor license takes effect: none for a third, more than a week for
 * half, four to six weeks for one in ten, sixty at most.
 */
const EFFECTIVE_AFTER: ReadonlyArray<[share: number, from: number, to: number]> = [
	[0.335, 0, 0],
	[0.165, 1, 7],
	[0.395, 8, 27],
	[0.1, 28, 42],
	[0.005, 43, 60],
];

export function effectiveAfter(chance: number): number {
	let left = chance;
	for (const [share, from, to] of EFFECTIVE_AFTER) {
		if (left < share) return from + Math.floor((left / share) * (to - from + 1));
		left -= share;
	}
	return 60;
}

/** Days from taking effect to being listed, for liquor: one to five. */
export const listedAfter = (chance: number): number => 1 + Math.floor(chance * 5);
