/** What a service knows about time, so that a test can run months in seconds. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}

export const wallClock: Clock = {
	now: () => Date.now(),
	sleep: async (milliseconds) =>
		await new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
};
