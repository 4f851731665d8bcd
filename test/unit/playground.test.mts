import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrm } from '../../playground/crm/server.mts';
import { download } from '../../playground/native-parts.mts';
import { readOptions } from '../../playground/options.mts';
import { secretsOf } from '../../playground/secrets.mts';
import { takeLock } from '../../playground/steps.mts';
import { Register } from '../../sandbox/index.mts';

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playground-'));
});

const started = async (more: Partial<Parameters<typeof startCrm>[0]> = {}) => {
	const crm = await startCrm({ file: join(folder, 'leads.jsonl'), ...more });
	onTestFinished(async () => await crm.close());
	return crm;
};

it('The page of leads has them after a restart, even after half a line', async () => {
	for (const [company, status, left] of [
		['Blue Heron Grill', 201, '{"company":"Half a L'],
		['Sunset Lounge', 201, ''],
		[undefined, 400, ''],
	] as const) {
		const crm = await started();
		const headers = { 'content-type': 'application/json' };
		const body = JSON.stringify(company ? { company } : []);
		expect((await fetch(crm.leadsAddress, { method: 'POST', headers, body })).status).toBe(status);
		await crm.close();
		await appendFile(join(folder, 'leads.jsonl'), left);
	}
	const { book } = await started();
	expect(book.leads.map(({ company }) => company)).toEqual(['Blue Heron Grill', 'Sunset Lounge']);
});

it('The page of leads shows nothing to another origin, and takes nothing from it', async () => {
	const register = new Register({ records: 100, today: '2025-03-03' });
	const crm = await started({ register });
	const { port } = new URL(crm.address);
	const from = async (headers: Record<string, string>, method: string, path: string) => {
		const asked = request({ host: '127.0.0.1', port, method, path, headers }).end();
		const [answer] = (await once(asked, 'response')) as [IncomingMessage];
		return answer.resume().statusCode;
	};
	const evil = `evil.example.com:${port}`;
	for (const headers of [
		{ origin: 'https://evil.example.com' },
		// Its name leads to this machine.
		{ host: evil, origin: `http://${evil}` },
		{ host: evil },
	] as Array<Record<string, string>>) {
		expect(await from(headers, 'POST', '/more')).toBe(403);
		expect(await from(headers, 'GET', '/leads')).toBe(403);
	}
	expect(register.day).toBe('2025-03-03');
	expect(await from({ origin: crm.address }, 'POST', '/more')).toBe(204);
	const { headers } = await fetch(crm.address);
	expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
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
	const unlock = await takeLock(join(folder, 'workspace', 'data.lock'));
	await unlock?.();
	const crm = await started({ file: join(folder, 'workspace', 'data', 'leads.jsonl') });
	await crm.book.add({ company: 'Blue Heron Grill' });
	for (const path of [['workspace'], ['workspace', 'data']])
		expect(await modeOf(...path)).toBe(0o700);
	for (const path of [['workspace', 'data', 'leads.jsonl'], ['secrets.json']])
		expect(await modeOf(...path)).toBe(0o600);
});

it('A ready-made part of n8n is used only if it is known', async () => {
	const crm = await started();
	const page = await readFile(join(import.meta.dirname, '../../playground/crm/page.html'));
	const known = createHash('sha256').update(page).digest('hex');
	const file = join(folder, 'part');
	expect(await download(crm.address, known.replace(/./, 'x'), file)).toBe(false);
	expect(await download('http://127.0.0.1:9/', known, file)).toBe(false);
	expect(await readdir(folder)).not.toContain('part');
	expect(await download(crm.address, known, file)).toBe(true);
	expect(await readFile(file)).toEqual(page);
});
