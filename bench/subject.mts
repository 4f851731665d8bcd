export interface Settings {
	/** Some 3 minutes instead of 45: fewer records, waits and rounds. */
	quick: boolean;
	/** Says how far it is. */
	progress: (line: string) => void;
}

/** One thing that is measured: a section of the results. */
export interface Subject {
	title: string;
	/** Brings Markdown. */
	measure(settings: Settings): Promise<string>;
}
