import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { download } from '../../playground/native-parts.mts';
import { readOptions } from '../../playground/options.mts';
import { secretsOf } from '../../playground/secrets.mts';
import { takeLock } from '../../playground/steps.mts';
import { Register } from '../../sandbox/index.mts';

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playground-'));
});

describe('The page of leads', () => {
	let register: Register;
	let crm: Crm;
	const start = async () => await startCrm({ file: join(folder, 'leads.jsonl'), register });

	beforeEach(async () => {
		register = new Register({ records: 100, today: '2025-03-03' });
		crm = await start();
	});
	afterEach(async () => await crm.close());

	const post = async (lead: unknown) =>
		await fetch(crm.leadsAddress, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(lead),
		});

	it('has its leads again after a restart, even if half a line is left', async () => {
		expect((await post({ company: 'Blue Heron Grill' })).status).toBe(201);
		expect((await post([])).status).toBe(400);
		await crm.close();
		await appendFile(join(folder, 'leads.jsonl'), '{"company":"Half a L');
		crm = await start();
		await post({ company: 'Sunset Lounge' });
		await crm.close();
		crm = await start();
		expect(crm.book.leads.map(({ company, number }) => [number, company])).toEqual([
			[1, 'Blue Heron Grill'],
			[2, 'Sunset Lounge'],
		]);
	});

	it('shows nothing to a page of another origin, and takes nothing from it', async () => {
		const { port } = new URL(crm.address);
		const from = async (headers: Record<string, string>, method: string, path: string) =>
			await new Promise<number | undefined>((resolve, reject) => {
				const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
					answer.resume();
					resolve(answer.statusCode);
				});
				asked.on('error', reject).end();
			});
		const evil = `evil.example.com:${port}`;
		const strangers: Array<Record<string, string>> = [
			{ origin: 'https://evil.example.com' },
			// Its name leads to this machine.
			{ host: evil, origin: `http://${evil}` },
			{ host: evil },
		];
		for (const headers of strangers) {
			expect(await from(headers, 'POST', '/more')).toBe(403);
			expect(await from(headers, 'GET', '/leads')).toBe(403);
		}
		expect(register.day).toBe('2025-03-03');
		expect(await from({ origin: crm.address }, 'POST', '/more')).toBe(204);
		const { headers } = await fetch(crm.address);
		expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
	});
});

it('npm start takes a folder of files for Florida alone', () => {
	const asked = ['--florida', '--files', 'some-folder'];
	expect(readOptions(asked)).toMatchObject({ florida: true, files: 'some-folder' });
	expect(() => readOptions(asked.slice(1))).toThrow('--files goes with --florida');
});

it('Other users of the machine cannot read secrets and leads, nor look into the folder', async () => {
	const modeOf = async (...path: string[]) => (await stat(join(folder, ...path))).mode & 0o777;
	const secrets = await secretsOf(folder);
	expect(await secretsOf(folder)).toEqual(secrets);
	await mkdir(join(folder, 'workspace', 'data'), { recursive: true, mode: 0o755 });
	await (
		await takeLock(join(folder, 'workspace', 'data.lock'))
	)?.();
	const crm = await startCrm({ file: join(folder, 'workspace', 'data', 'leads.jsonl') });
	await crm.book.add({ company: 'Blue Heron Grill' });
	await crm.close();
	for (const path of [['workspace'], ['workspace', 'data']])
		expect(await modeOf(...path)).toBe(0o700);
	for (const path of [['workspace', 'data', 'leads.jsonl'], ['secrets.json']])
		expect(await modeOf(...path)).toBe(0o600);
});

it('A ready-made part of n8n is used only if it is known', async () => {
	const crm = await startCrm({ file: join(folder, 'leads.jsonl') });
	const page = await readFile(join(import.meta.dirname, '../../playground/crm/page.html'));
	const known = createHash('sha256').update(page).digest('hex');
	const file = join(folder, 'part');
	expect(await download(crm.address, known.replace(/./, 'x'), file)).toBe(false);
	expect(await download('http://127.0.0.1:9/', known, file)).toBe(false);
	expect(await readdir(folder)).not.toContain('part');
	expect(await download(crm.address, known, file)).toBe(true);
	expect(await readFile(file)).toEqual(page);
	await crm.close();
});
