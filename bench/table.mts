export type Cell = string | number;

/** A table as Markdown, aligned so that it also reads well in a terminal. */
export function table(header: string[], rows: Cell[][]): string {
	const lines = [header, ...rows].map((row) => row.map(String));
	const widths = header.map((_, column) =>
		Math.max(...lines.map((line) => line[column]?.length ?? 0)),
	);
	const isNumber = (column: number) => rows.every((row) => /^[\d.,<±–-]/.test(String(row[column])));
	const written = lines.map(
		(line) =>
			`| ${line
				.map((cell, column) => {
					const width = widths[column] ?? 0;
					return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
				})
				.join(' | ')} |`,
	);
	const rule = `| ${widths
		.map((width, column) =>
			isNumber(column) ? `${'-'.repeat(Math.max(2, width - 1))}:` : '-'.repeat(Math.max(3, width)),
		)
		.join(' | ')} |`;
	return [written[0], rule, ...written.slice(1)].join('\n');
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
	return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

export const count = (value: number): string => value.toLocaleString('en-US');

/** Milliseconds, shown as seconds if there are many. */
export const duration = (milliseconds: number): string =>
	milliseconds >= 1000
		? `${(milliseconds / 1000).toFixed(2)} s`
		: `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;

export const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');
