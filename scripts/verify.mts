/**
 * A dry run of n8n's verification, on a clean clone of the last commit: one line for each of n8n's rules, and
 * then what only a person can do; docs/review.md says more of that.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../playground/folders.mts';
import { type Candidate, pack, type Manifest } from './verification/candidate.mts';
import { steps } from './verification/manual-steps.mts';
import { rules } from './verification/rules.mts';

const folder = mkdtempSync(join(tmpdir(), 'licensing-data-verify-'));
const clone = join(folder, 'clone');
let failed = 0;

function show(name: string, complaints: string[]): void {
	if (complaints.length > 0) failed++;
	console.log(`${complaints.length > 0 ? '✗' : '✓'} ${name}`);
	for (const complaint of complaints) console.log(`    ${complaint}`);
}

/** What a command prints last, if it fails. */
function printedBy(command: string, ...args: string[]): string[] {
	const { status, stdout, stderr } = spawnSync(command, args, { cwd: clone, encoding: 'utf8' });
	return status === 0 ? [] : `${stdout}${stderr}`.trimEnd().split('\n').slice(-15);
}

const complaintsOf = (...args: string[]) => printedBy('npm', 'run', '--silent', ...args);

function scannedBy({ source, archive }: Candidate): string[] {
	const unlocked = printedBy('npm', 'ci', '--silent', '--prefix', '.github/scan');
	if (unlocked.length > 0) return unlocked;
	return printedBy(process.execPath, '.github/scan/packed.mjs', source, archive);
}

try {
	execFileSync('git', ['clone', '--quiet', repository, clone]);
	// What is installed here was installed from the same lock file, which takes minutes.
	symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'), 'junction');
	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
	console.log(`The last commit: ${git('log', '-1', '--format=%h %s')}`);
	if (git('status', '--porcelain') !== '') console.log('What is not committed does not count.');

	console.log("\nn8n's rules");
	const complaints = complaintsOf('build');
	show('It builds from a clean clone', complaints);
	let manifest: Manifest | undefined;
	if (complaints.length === 0) {
		const candidate = pack(clone, folder);
		({ manifest } = candidate);
		for (const { name, check } of rules) show(name, await check(candidate));
		show("The registry's scanner passes", scannedBy(candidate));
		show('n8n-node lint is content, in strict mode', complaintsOf('lint'));
		show('npm run spell finds American English', complaintsOf('spell'));
	}

	console.log('\nWhat only a person can do');
	for (const { what, where, isOpen } of steps) {
		const isSeenOpen = manifest !== undefined && isOpen?.(manifest);
		console.log(`• ${what}${isSeenOpen ? ' (not done yet)' : ''}\n    ${where}`);
	}
	console.log(failed === 0 ? '\nAll rules are met.' : `\n${failed} not met.`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
