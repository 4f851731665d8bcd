import { parse } from 'yaml';

import { filesIn, readText } from '../support/manifest.mts';

interface Job {
	permissions?: Record<string, string>;
	steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

const jobs = filesIn('.github/workflows').flatMap((file) => {
	const { permissions, jobs: own } = parse(readText(file)) as Job & { jobs: Record<string, Job> };
	return Object.values(own).map((job): Job => ({ permissions, ...job }));
});

it.for([
	'package-lock.json',
	'.github/scan/package-lock.json',
	'playground/host/package-lock.json',
	'playground/host-oldest/package-lock.json',
])('Each package comes from the registry, as its checksum says: %s', (file) => {
	const lock = JSON.parse(readText(file)) as { packages: object };
	const { '': _own, ...locked } = lock.packages as Record<string, Record<string, string>>;
	// Without its own address, a package comes from whatever registry npm is set to.
	const loose = Object.entries(locked).filter(
		([, { resolved, integrity, inBundle }]) =>
			resolved !== undefined || !(inBundle || integrity?.startsWith('sha512-')),
	);
	expect(loose).toEqual([]);
});

it('No script of an installed package runs', () => {
	for (const file of ['.npmrc', '.github/scan/.npmrc'])
		expect(readText(file)).toMatch(/^ignore-scripts=true$/m);
});

it('No GitHub Action can change, and no step has the credential that fetched the sources', () => {
	const actions = jobs.flatMap(({ steps }) => steps).filter(({ uses }) => uses);
	expect(actions.filter(({ uses }) => !/@[0-9a-f]{40}$/.test(uses ?? ''))).toEqual([]);
	const checkouts = actions.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
	expect(checkouts.length).toBeGreaterThan(4);
	for (const checkout of checkouts) expect(checkout.with?.['persist-credentials']).toBe(false);
});

it('One job has the identity that npm trusts, and only publishes a tested file', () => {
	const trusted = jobs.filter(({ permissions }) => permissions?.['id-token'] === 'write');
	expect(trusted.map((job) => job.steps.flatMap(({ run }) => run ?? []))).toEqual([
		['npm publish --provenance --access public ./n8n-nodes-licensing-data-*.tgz'],
	]);
});
