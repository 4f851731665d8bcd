import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '../../playground/folders.mts';
import { dayOf, files, Office, read } from './office.mts';

/** A state's licenses and new filings. Food counts as new from July on. */
const today = new Date();
const july = Date.UTC(today.getUTCFullYear() - (today.getUTCMonth() < 6 ? 1 : 0), 6);
const foodADay = 6_750 / Math.ceil((today.getTime() - july) / 86_400_000);
const FLORIDA = { records: 120_000, rates: { liquorADay: 45, foodADay } };
const words = 'Tampa';

let office: Office;
const report: string[] = [];

beforeAll(async () => {
	office = await Office.open('size', FLORIDA);
	// No license of the register may have changed hands within two days.
	office.file({
		...{ businessName: 'Sand Dollar', licenseType: 'COP', eventType: 'ownership_transfer' },
		address: { street: '1 Bay St', city: 'Tampa', county: 'Hillsborough', zip: '33602' },
	});
	const { register } = office.sandbox;
	const all = register.all();
	const filings = register.all({ event_type: 'new_filing' }).length;
	expect(all.length).toBeGreaterThan(119_000);
	expect(filings).toBeGreaterThan(8900);
	report.push(
		`${all.length} licenses, ${filings} new filings; ${await megabytes()} MB before any workflow`,
		'| workflow | minutes | requests | n8n in MB |',
		'| --- | --: | --: | --: |',
	);
	const place = { rep_email: 'ann@example.com', channel: '#leads', counties: 'Hillsborough' };
	await office.fill('make-territories-table.json', 'Territories', [
		{ name: 'Tampa Bay', ...place },
	]);
	const known = all.filter((_, at) => at % 600 === 0);
	const rows = known.map(({ businessName, address }) => {
		const { street, city, zip } = address ?? {};
		return { name: businessName, business: businessName, street, city, zip };
	});
	await office.fill(
		'leave-out.json',
		'Leave Out',
		rows.map(({ business: _, city: __, ...row }) => ({ ...row, reason: 'customer' })),
	);
	await office.fill(
		'watch-my-customers.json',
		'Customers',
		rows.map(({ name: _, ...row }) => ({ ...row, rep_email: 'dana@example.com' })),
	);
	Object.assign(office.world.chatModel, { toolInput: { words }, reply: 'Some.' });
}, 3_600_000);
afterAll(async () => {
	await office?.close();
	await mkdir(join(repository, 'artifacts'), { recursive: true });
	await writeFile(join(repository, 'artifacts', 'size.md'), `${report.join('\n')}\n`);
});

/** The processes of n8n: they begin in its folder. */
async function processes(): Promise<string[]> {
	const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
	const folders = ids.map(async (id) => await readlink(`/proc/${id}/cwd`).catch(() => ''));
	const ours = (await Promise.all(folders)).map((folder) => folder === office.stage.folder);
	return ids.filter((_, at) => ours[at]);
}

/** The most that they have taken since `forget`. */
async function megabytes(): Promise<number> {
	const statuses = (await processes()).map(
		async (id) => await readFile(`/proc/${id}/status`, 'utf8').catch(() => ''),
	);
	const peaks = (await Promise.all(statuses)).map((one) => Number(/VmHWM:\s+(\d+)/.exec(one)?.[1]));
	return Math.round(peaks.reduce((sum, peak) => sum + peak, 0) / 1024);
}
const forget = async () =>
	await Promise.all(
		(await processes()).map(async (id) => await writeFile(`/proc/${id}/clear_refs`, '5')),
	);

async function measured(what: string, work: () => Promise<void>): Promise<void> {
	await forget();
	const [begin, { requests }] = [Date.now(), office.sandbox];
	const before = requests.count;
	await work();
	const minutes = ((Date.now() - begin) / 60_000).toFixed(1);
	report.push(`| ${what} | ${minutes} | ${requests.count - before} | ${await megabytes()} |`);
}

it.each(files)(
	'%s ends well where a whole state is listed',
	{ timeout: 3_600_000 },
	async (file) => {
		const since = `${dayOf(2)}T00:00:00Z`;
		await measured(file, async () => await office.runAll(file, { since, words }));
	},
);

it.each([
	['all of Florida, the next morning', {}],
	['two counties', { counties: ['Miami-Dade', 'Orange'] }],
])('nightly-check.json ends well for %s', { timeout: 3_600_000 }, async (where, more) => {
	const { nodes } = await read('nightly-check.json');
	const territory = nodes.find(({ name }) => name === 'Territory');
	office.sandbox.register.advance();
	const changes = {
		Territory: { filters: { ...(territory?.parameters.filters as object), ...more } },
	};
	await measured(`nightly-check.json, ${where}`, async () => {
		await office.runAll('nightly-check.json', { since: '', words, changes });
	});
});
