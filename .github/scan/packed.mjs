/**
 * What n8n's scanner says of sources and of an unpacked archive, before they are published: node packed.mjs <sources>
 * <archive>. By itself, the scanner only looks at what is on npm, and at the commit that its provenance names.
 */
import { resolve } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const [sources, archive] = process.argv.slice(2).map((path) => resolve(path));
const scans = [
	await analyzePackage(sources, SOURCE_FILE_PATTERNS),
	await analyzePackage(archive, ['**/*.js', 'package.json']),
];
for (const { message, details } of scans) if (message) console.log(message, details ?? '');
process.exitCode = scans.every(({ passed }) => passed) ? 0 : 1;
