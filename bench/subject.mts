export interface Settings {
	/** Fewer records, waits and rounds. */
	quick: boolean;
	/** Reports progress. */
	progress: (line: string) => void;
}

/** One thing to measure: a section of the results. */
export interface Subject {
	title: string;
	/** Returns Markdown. */
	measure(settings: Settings): Promise<string>;
}
