import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { durableScheduler } from '../support/queue/queue.mts';
import { ROOT, manifest } from '../support/manifest.mts';

interface Service {
	image: string;
	command?: string | string[];
	environment?: Record<string, string>;
}

const text = readFileSync(join(ROOT, 'docs', 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const services = Object.entries(compose.services);
const processes = services.filter(([, { image }]) => image.includes('n8nio/n8n'));

describe('the example for Docker Compose', () => {
	it('pins every image to a whole version', () => {
		for (const [name, { image }] of services) {
			expect(image, name).toMatch(/:\d+(\.\d+)+$/);
		}
	});

	it('runs the n8n that the nodes are tested with, as main, worker and webhook processes', () => {
		const { dependencies } = JSON.parse(
			readFileSync(join(ROOT, 'playground', 'host', 'package.json'), 'utf8'),
		) as { dependencies: { n8n: string } };
		expect(processes.map(([, { command }]) => command)).toEqual([undefined, 'worker', 'webhook']);
		for (const [, { image }] of processes) expect(image).toContain(`:${dependencies.n8n}`);
	});

	it('gives every process of n8n the same settings, durable cursors among them', () => {
		const [, main] = processes[0] ?? [];
		for (const [, { environment }] of processes) {
			expect(environment).toEqual(main?.environment);
			expect(environment).toMatchObject(durableScheduler);
		}
	});

	it('installs the package from the environment, verified or not, and holds nothing that n8n 3 removed', () => {
		const environment = processes[0]?.[1].environment ?? {};
		const packages = JSON.parse(environment.N8N_COMMUNITY_PACKAGES ?? '[]') as unknown;
		expect(packages).toEqual([{ name: manifest.name }]);
		expect(environment).toMatchObject({
			N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		});
		const removed = ['OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS', 'N8N_DB_PING_TIMEOUT', 'WEBHOOK_URL'];
		for (const name of removed) expect(environment).not.toHaveProperty(name);
		expect(environment.N8N_DEFAULT_BINARY_DATA_MODE).not.toBe('default');
	});
});
