import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { repository } from '../../playground/folders.mts';

/** What comes and goes, or shows only under the mouse, and covers what a picture should show. */
const PASSING = [
	'.el-notification',
	'[data-reka-popper-content-wrapper]',
	'[role="tooltip"]',
	'.el-popper',
	'.n8n-callout-action',
	'[data-test-id="canvas-controls"]',
	'[data-test-id="canvas-minimap"]',
	'[data-test-id="execute-workflow-button"]',
	'[data-test-id="credentials-config-container-test-success"] button',
].join();

/** For whoever looks into a failed run. */
export const picture = async (page: Page, name: string, clip?: Area): Promise<void> =>
	await screenshot(page, join(repository, 'artifacts', `${name}.png`), clip);

/** Set by `npm run pictures`. */
const isNewWanted = process.env.PICTURES === 'new';

/**
 * A picture in the documentation. The texts in it lie beside it in a file, made in the same moment: if the
 * screen shows others, the picture is old. What is `changing`, such as the names of businesses, does not count.
 */
export async function picturedInDocs(
	page: Page,
	name: string,
	{ parts, changing }: { parts: Locator[]; changing?: string },
): Promise<void> {
	const clip = await around(parts);
	const left = [PASSING, changing].filter(Boolean).join();
	const shown = await page.evaluate<string[]>(
		`(${textsIn})(${JSON.stringify(clip)}, ${JSON.stringify(left)})`,
	);
	const texts = shown.map((text) => `${text}\n`).join('');
	const file = join(repository, 'docs', 'pictures', name);
	if (isNewWanted) {
		await screenshot(page, `${file}.png`, clip);
		await writeFile(`${file}.txt`, texts);
		return;
	}
	await picture(page, name, clip);
	const old = `docs/pictures/${name}.png is old: npm run pictures`;
	expect.soft(texts, old).toBe(await readFile(`${file}.txt`, 'utf8'));
}

type Area = Record<'x' | 'y' | 'width' | 'height', number>;

async function screenshot(page: Page, path: string, clip?: Area): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	const style = `${PASSING} { visibility: hidden !important; }`;
	await page.screenshot({ path, animations: 'disabled', style, clip });
}

async function around(parts: Locator[]): Promise<Area> {
	const found = await Promise.all(parts.map(async (part) => await part.boundingBox()));
	const boxes = found.filter((box) => box !== null);
	const x = Math.min(...boxes.map((box) => box.x));
	const y = Math.min(...boxes.map((box) => box.y));
	const right = Math.max(...boxes.map((box) => box.x + box.width));
	const bottom = Math.max(...boxes.map((box) => box.y + box.height));
	return { x, y, width: right - x, height: bottom - y };
}

/** Runs in the page. A text counts if nothing else lies above its middle. */
const textsIn = `(area, left) => {
	const isShown = (element, { x, y, width, height }) => {
		if (width === 0 || element.closest(left)) return false;
		// n8n shows some switches only under the mouse.
		if (!element.checkVisibility({ checkOpacity: true })) return false;
		const [middleX, middleY] = [x + width / 2, y + height / 2];
		if (middleX < area.x || middleX > area.x + area.width) return false;
		if (middleY < area.y || middleY > area.y + area.height) return false;
		const top = document.elementFromPoint(middleX, middleY);
		return top !== null && (element.contains(top) || top.contains(element));
	};
	const texts = [];
	const add = (text, element, box) => {
		const line = text.trim().replace(/\\s+/g, ' ');
		if (line !== '' && isShown(element, box)) texts.push(line);
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) {
			const text = node.type === 'password' ? '' : node.value || node.placeholder;
			add(text, node, node.getBoundingClientRect());
		} else if (node instanceof Text) {
			const range = document.createRange();
			range.selectNodeContents(node);
			add(node.data, node.parentElement, range.getBoundingClientRect());
		}
	}
	return texts;
}`;
