import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../playground/folders.mts';
import { dayOf, files, Office } from './office.mts';

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
		'| workflow | minutes | requests | n8n in MB, so far |',
		'| --- | --: | --: | --: |',
	);
	const place = { rep_email: 'ann@example.com', channel: '#leads', counties: 'Hillsborough' };
	await office.fill('make-territories-table.json', 'Territories', [
		{ name: 'Tampa Bay', ...place },
	]);
	const known = all.filter((_, at) => at % 600 === 0);
	await office.fill(
		'leave-out.json',
		'Leave Out',
		known.map(({ businessName: name, address }) => {
			return { name, street: address?.street, zip: address?.zip, reason: 'customer' };
		}),
	);
	await office.fill(
		'watch-my-customers.json',
		'Customers',
		known.map(({ businessName: business, address }) => {
			const { street, city, zip } = address ?? {};
			return { ...{ business, street, city, zip }, rep_email: 'dana@example.com' };
		}),
	);
	office.world.chatModel.toolInput = { words };
}, 3_600_000);
afterAll(async () => {
	await office?.close();
	await mkdir(join(repository, 'artifacts'), { recursive: true });
	await writeFile(join(repository, 'artifacts', 'size.md'), `${report.join('\n')}\n`);
});

/** The most that a process of n8n has taken, which begins in its folder. */
async function kilobytesOf(id: string): Promise<number> {
	if ((await readlink(`/proc/${id}/cwd`)) !== office.stage.folder) return 0;
	return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]);
}
async function megabytes(): Promise<number> {
	const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
	const peaks = await Promise.all(ids.map(async (id) => await kilobytesOf(id).catch(() => 0)));
	return Math.round(peaks.reduce((sum, peak) => sum + peak) / 1024);
}

async function measured(what: string, work: () => Promise<void>): Promise<void> {
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

it('nightly-check.json ends well the next morning', { timeout: 3_600_000 }, async () => {
	office.sandbox.register.advance();
	await measured('nightly-check.json, the next morning', async () => {
		await office.runAll('nightly-check.json', { since: '', words });
	});
});
