// Adds up what vitest reported. A run that broke outside a test counts as one failure, never as none.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';

const [folder, status] = process.argv.slice(2);
const reports = existsSync(folder)
	? readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
	: [];
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
const failed = sum('numFailedTests');
const skipped = sum('numPendingTests') + sum('numTodoTests');
const broken = status !== '0' && failed === 0 ? 1 : 0;
if (!existsSync(join(folder, 'e2e.json'))) console.log('end-to-end tests not run');
console.log(
	`${sum('numPassedTests')} passed, ${failed + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
