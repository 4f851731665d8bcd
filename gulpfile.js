'use strict';

/*
 * The asset pipeline, run after `n8n-node build`: that copies every picture of the repository
 * into dist as it stands, so this optimizes the icons and removes what is none.
 */
const { mkdir, readFile, readdir, rm, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { series } = require('gulp');

const SHIPPED = new Set(['credentials', 'icons', 'nodes']);

async function removeWhatDoesNotShip() {
	for (const entry of await readdir('dist')) {
		if (!SHIPPED.has(entry)) await rm(join('dist', entry), { recursive: true });
	}
}

async function optimizeIcons() {
	const { optimize } = await import('svgo');
	await mkdir(join('dist', 'icons'), { recursive: true });
	for (const icon of await readdir('icons')) {
		const source = await readFile(join('icons', icon), 'utf8');
		const { data } = optimize(source, { path: icon, multipass: true });
		await writeFile(join('dist', 'icons', icon), data);
	}
}

exports.default = series(removeWhatDoesNotShip, optimizeIcons);
