/** How large the project is, and how much of it one click and one poll enter: numbers to compare before and after. */
import { countEntered } from './size/entered.mts';
import { foldersOf, longestFilesIn, longestFunctionsIn } from './size/lines.mts';

const ROOTS = [
	'nodes/LicensingData',
	'credentials',
	'server',
	'sandbox',
	'florida',
	'playground',
	'probe',
	'bench',
	'scripts',
	'test',
];

const row = (name: string, ...numbers: Array<number | string>): void =>
	console.log(name.padEnd(60) + numbers.map((one) => String(one).padStart(8)).join(''));

console.log('Lines of code, without blanks, comments and tables that scripts make\n');
row('folder', 'files', 'lines');
for (const root of ROOTS) {
	const folders = foldersOf(root);
	for (const { folder, files, lines } of folders) row(folder, files, lines);
	const sum = (of: 'files' | 'lines') => folders.reduce((all, one) => all + one[of], 0);
	if (folders.length > 1) row(`${root}, all`, sum('files'), sum('lines'));
}

console.log('\nThe largest files of the package');
for (const { name, lines } of longestFilesIn('nodes')) row(name, lines);
console.log('\nIts longest functions');
for (const { name, lines } of longestFunctionsIn('nodes')) row(name, lines);

console.log('\nWhat is entered (dist/ as it was built last)');
row('', 'files', 'calls', 'requests');
for (const { what, files, functions, requests } of await countEntered()) {
	row(what, files.length, functions, requests);
	if (process.argv.includes('--files')) for (const file of files) console.log(`  ${file}`);
}
process.exit();
