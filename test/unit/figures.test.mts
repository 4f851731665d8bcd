import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { ROOT } from '../support/manifest.mts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Numbers as a reader sees them, but not those within a word, such as 4COP. */
const figuresIn = (text: string): string[] =>
	text.match(/(?<![\w.,-])\d+(?:[.,]\d+)*%?(?![\w-])/g) ?? [];

/** What a link leads to: a page, or a section of it with those below it. */
function linked(path: string, anchor = ''): string {
	const sections = read(path).split(/^(?=#+ )/m);
	const levelOf = (section = ''): number => /^#*/.exec(section)![0].length;
	const anchorOf = (section: string): string =>
		section
			.replace(/\n[^]*/, '')
			.toLowerCase()
			.replace(/^#+ |[^\w\- ]/g, '')
			.replaceAll(' ', '-');
	const start = sections.findIndex((section) => anchorOf(section) === anchor);
	if (start === -1) return anchor === '' ? read(path) : '';
	const end = sections.findIndex(
		(section, at) => at > start && levelOf(section) <= levelOf(sections[start]),
	);
	return sections.slice(start, end === -1 ? undefined : end).join('');
}

/** A paragraph, an entry of a list or a row of a table, without code. */
const blocks = read('README.md')
	.replace(/```[^]*?```|`[^`\n]+`/g, '')
	.split(/\n\s*\n|\n(?=- |\|)/);
const rows = blocks.flatMap((block) => {
	const links = [...block.matchAll(/\]\((?!\w+:)([^)#]+\.md)#?([^)]*)\)/g)];
	const measured = links.map(([, path = '', anchor]) => linked(path, anchor)).join('\n');
	const said = block.replace(/\]\([^)]*\)|<img [^>]*>|\*\*\d\. /g, ' ');
	return figuresIn(said).map((figure) => ({ figure, block, measured }));
});

it.each(rows)(
	'The figure $figure of README.md stands where its paragraph links to: $block',
	({ figure, measured }) => {
		expect(figuresIn(measured)).toContain(figure);
	},
);

it('README.md has at most a thousand words', () => {
	expect(rows.length).toBeGreaterThan(10);
	expect(read('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1000);
});
