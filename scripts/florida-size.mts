/**
 * What a whole Florida costs: made-up files of full size, two days of them, read and served.
 *
 *     npm run florida:size
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

import { refresh } from '../florida/acceptFiles.mts';
import { Memory } from '../florida/memory.mts';
import { startFlorida } from '../florida/service.mts';
import type { LicensePage } from '../server/license.mts';
import {
	fileOf,
	food,
	holder,
	liquor,
	number,
	type Fields,
} from '../test/florida/made-up-files.mts';

const FOOD = [10_371, 10_655, 12_306, 15_075, 7955, 5319, 7996];
const LIQUOR = 53_000;
/** Of each file, so many are new on the second day. */
const NEW = 30;

const counties = 67;
const numbersFor = (series: string, at: number, first = 11): string =>
	number(`${series}${first + (at % counties)}`, 1000 + Math.floor(at / counties));

function rowsOf(source: string, count: number): Fields[] {
	const district = Number(source.slice(-1));
	return Array.from({ length: count }, (_, at) => {
		const name = `${holder(at).replace(' HOLDINGS LLC', '')} ${at} LLC`;
		const street = `${100 + (at % 9000)} ${['MAIN ST', 'SW 8 ST', 'US HWY 1'][at % 3]} STE ${at % 50}`;
		if (source === 'bd4006lic')
			return liquor(numbersFor('BEV', at), {
				...{ 'Owner Name': name, DBA: `${name} BAR`, 'Location Address 1': street },
				...{
					'Location County': String(11 + (at % counties)),
					Series: ['2APS', '2COP', '4COP'][at % 3]!,
				},
			});
		return food(number(`SEA${11 + district * 8 + (at % 8)}`, 1000 + Math.floor(at / 8)), {
			...{
				'Licensee Name': name,
				'Business Name': `${name} CAFE`,
				'Location Street Address': street,
			},
			...{ 'Location County Code': String(11 + district * 8 + (at % 8)), 'Mailing Name': name },
			...{ 'Last Inspection Date': '05/01/2025', 'Mailing Street Address': street },
		});
	});
}

function write(folder: string, more: number): void {
	const sizes = FOOD.map((count, at) => [`hrfood${at + 1}`, count] as const);
	for (const [source, count] of [...sizes, ['bd4006lic', LIQUOR] as const]) {
		const changed = rowsOf(source, count + more).map((row, at) =>
			more > 0 && at % 100 === 0 ? { ...row, 'License Expiry Date': '10/01/2026' } : row,
		);
		writeFileSync(join(folder, `${source}.csv`), fileOf(source, changed));
	}
}

/** In a process of its own, so that its memory is its own. */
async function measureRefresh(data: string, files: string, day: string): Promise<void> {
	const names = [...FOOD.map((_, at) => `hrfood${at + 1}`), 'bd4006lic'];
	const memory = await Memory.open(data);
	const inputs = names.map((source) => ({ source, path: join(files, `${source}.csv`), day }));
	const { events, licenses } = await refresh(memory, inputs);
	const { user, system } = process.cpuUsage();
	const peak = process.resourceUsage().maxRSS / 1024;
	console.log(
		`refresh of ${day}: ${licenses} licenses, ${((user + system) / 1e6).toFixed(1)} s of CPU, ${peak.toFixed(0)} MB at its peak, ${JSON.stringify(events)}`,
	);
}

async function measureService(data: string, files: string): Promise<void> {
	const florida = await startFlorida({ data, files, say: () => undefined, lookEvery: 1e6 });
	// What it does at its start would be measured with the first requests.
	while (florida.service.activity.lastRefresh === null)
		await new Promise((resolve) => setTimeout(resolve, 100));
	const headers = { Authorization: `Bearer ${florida.key}` };
	const ask = async (path: string): Promise<any> =>
		await (await fetch(florida.baseUrl + path, { headers })).json();
	/** With the CPU of whoever asks, which is this process too. */
	const measure = async (what: string, path: string): Promise<void> => {
		const once = async (times: number) => {
			const [started, { user, system }] = [performance.now(), process.cpuUsage()];
			for (let at = 0; at < times; at++) await ask(path);
			const cpu = process.cpuUsage();
			const [took, spent] = [performance.now() - started, cpu.user + cpu.system - user - system];
			return `${(took / times).toFixed(1)} ms (${(spent / times / 1000).toFixed(1)} ms of CPU)`;
		};
		const first = await once(1);
		await once(30);
		console.log(`${what}: at first ${first}, then ${await once(50)}`);
	};
	const middle = Buffer.from(JSON.stringify({ offset: 60_000 })).toString('base64');
	await measure('page of 50 in the middle', `/licenses?limit=50&cursor=${middle}`);
	const filters = 'event_type=new_filing&county=orange&license_type=seating';
	await measure('list by event, county and type', `/licenses?limit=50&${filters}`);
	await measure('search without a match', '/licenses/search?q=no+such+name');
	await measure('list with free text', '/licenses?q=zz+no+such');
	for (const way of Object.keys(ALL)) await runSelf('all', way, florida.baseUrl, florida.key);
	global.gc?.();
	await new Promise((resolve) => setTimeout(resolve, 3000));
	console.log(`idle: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`);
	await florida.close();
	process.exit();
}

const ALL: Record<string, (baseUrl: string, apiKey: string) => Promise<number>> = {
	'Get Many': async (baseUrl, apiKey) => {
		const { runLicense } = await import('../test/support/nodes.mts');
		const parameters = { operation: 'getAll', returnAll: true };
		const { items } = await runLicense(parameters, { credentials: { baseUrl, apiKey } });
		return items.length;
	},
	'a plain loop': async (baseUrl, apiKey) => {
		const licenses: unknown[] = [];
		for (let cursor: string | null = ''; cursor !== null; ) {
			const from = cursor && `&cursor=${encodeURIComponent(cursor)}`;
			const headers = { Authorization: `Bearer ${apiKey}` };
			const answer = await fetch(`${baseUrl}/licenses?limit=50${from}`, { headers });
			const { data, pagination } = (await answer.json()) as LicensePage;
			licenses.push(...data);
			({ cursor } = pagination);
		}
		return licenses.length;
	},
};

/** Return All, in a process of its own. */
async function measureAll(way: string, baseUrl: string, apiKey: string): Promise<void> {
	// Loading n8n-core takes longer than the list, and more memory: it is no part of what is measured.
	if (way === 'Get Many') await import('../test/support/nodes.mts');
	const before = process.memoryUsage().rss / 2 ** 20;
	const [started, { user, system }] = [performance.now(), process.cpuUsage()];
	const read = await ALL[way]!(baseUrl, apiKey);
	const took = (performance.now() - started) / 1000;
	const spent = process.cpuUsage();
	const cpu = (spent.user + spent.system - user - system) / 1e6;
	const peak = process.resourceUsage().maxRSS / 1024;
	console.log(
		`Return All, ${way}: ${read} licenses, ${took.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), ${(peak - before).toFixed(0)} MB above the ${before.toFixed(0)} MB before`,
	);
}

const self = fileURLToPath(import.meta.url);
const runSelf = async (...args: string[]) =>
	await execa('npx', ['tsx', self, ...args], { stdio: 'inherit' });

const [, , what, ...given] = process.argv;
const [first = '', second = '', third = ''] = given;
if (what === 'refresh') await measureRefresh(first, second, third);
else if (what === 'serve') await measureService(first, second);
else if (what === 'all') await measureAll(first, second, third);
else {
	const folder = mkdtempSync(join(tmpdir(), 'florida-size-'));
	try {
		write(folder, 0);
		await runSelf('refresh', join(folder, 'data'), folder, '2025-07-01');
		write(folder, NEW);
		await runSelf('refresh', join(folder, 'data'), folder, '2025-07-08');
		await runSelf('serve', join(folder, 'data'), mkdtempSync(join(folder, 'empty-')));
	} finally {
		rmSync(folder, { recursive: true });
	}
}
