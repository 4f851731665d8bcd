import type { Manifest } from './candidate.mts';

/** What no command can do, and exactly where it is done. */
export interface Step {
	what: string;
	where: string;
	/** Tells whether it can be seen that nobody has done it yet. */
	isOpen?: (manifest: Manifest) => boolean;
}

interface Named {
	author?: { email?: string };
	homepage?: string;
	version: string;
}

const ORGANIZATION = 'n8n-nodes-licensing-data/n8n-nodes-licensing-data';

/** In the order in which a person takes them, as in docs/review.md. */
export const steps: Step[] = [
	{
		what: 'Probe a real service with a real key, as nothing here has met one yet',
		where: 'npm run probe -- https://…/v1, which asks for the key',
	},
	{
		what: 'Choose the name on npm, and see that it is free: npm view <name> answers 404',
		where:
			'"name" in package.json, "node" in nodes/**/*.node.json, the node types in workflows/*.json; git grep finds the others',
	},
	{
		what: 'Put the repository where it is to live, for everyone to read',
		where:
			'"homepage", "bugs" and "repository" in package.json, documentationUrl in credentials/, the links in nodes/**/*.node.json, the clone command in README.md',
		isOpen: (manifest) => String((manifest as Named).homepage).includes(ORGANIZATION),
	},
	{
		what: 'Name the author as npm knows the maintainer, with an address that is read',
		where: '"author" in package.json',
		isOpen: (manifest) => String((manifest as Named).author?.email).endsWith('.example'),
	},
	{
		what: 'Have npm trust the workflow, so that no token is needed',
		where:
			'npmjs.com, the page of the package, Settings, Trusted Publisher: GitHub Actions, the repository, workflow publish.yml, environment npm',
	},
	{
		what: 'Have a maintainer protect main, the tags and the environment npm',
		where: 'GitHub, the repository, Settings, Rules and Environments',
	},
	{
		what: "Get a test key (ls_test_…) and the base URL from the provider, for n8n's reviewers",
		where: 'they go into the form of the last step, and never into the repository',
	},
	{
		what: 'Give the release a version and a date',
		where:
			'"version" in package.json, the heading [Unreleased] in CHANGELOG.md; then npm run release',
	},
	{
		what: 'After the first release, run what the reviewers run: npx @n8n/scan-community-package <name>',
		where: 'any machine; the workflow Publish does the same in its last job',
	},
	{
		what: 'Submit it, with the key and the base URL for reviewers',
		where: "n8n's Creator Portal (creators.n8n.io/nodes)",
	},
];
