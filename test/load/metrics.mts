/** One line of what n8n measures about itself. */
interface Sample {
	name: string;
	labels: Record<string, string>;
	value: number;
}

export class Metrics {
	private constructor(private readonly samples: Sample[]) {}

	static async read(address: string): Promise<Metrics> {
		const response = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(30_000) });
		if (!response.ok) throw new Error(`n8n's metrics answered ${response.status}`);
		const lines = (await response.text()).split('\n');
		return new Metrics(lines.map(toSample).filter((sample) => sample !== undefined));
	}

	sum(name: string, labels: Record<string, string> = {}): number {
		return this.samples
			.filter((sample) => sample.name === name && holds(sample.labels, labels))
			.reduce((total, { value }) => total + value, 0);
	}

	/** The smallest bucket bound of a histogram that covers this share of it, in its own unit. */
	quantile(histogram: string, share: number): number {
		const all = this.sum(`${histogram}_count`);
		const bounds = this.samples
			.filter(({ name }) => name === `${histogram}_bucket`)
			.map(({ labels }) => labels.le ?? '');
		const enough = (bound: string) => this.sum(`${histogram}_bucket`, { le: bound }) >= all * share;
		return Math.min(...[...new Set(bounds)].filter(enough).map(toNumber));
	}
}

const toNumber = (bound: string) => (bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound));

const holds = (labels: Record<string, string>, wanted: Record<string, string>) =>
	Object.entries(wanted).every(([name, value]) => labels[name] === value);

function toSample(line: string): Sample | undefined {
	const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
	if (name === undefined) return undefined;
	const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(
		([, key, text]) => [key, text] as const,
	);
	return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
