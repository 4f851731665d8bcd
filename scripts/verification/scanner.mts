import { createRequire } from 'node:module';
import type { ESLint as Linter, Linter as Rules } from 'eslint';
import { ESLint } from 'eslint';

/** The plugins of n8n's own tool, so that they are the ones it lints with. */
const bring = createRequire(createRequire(import.meta.url).resolve('@n8n/node-cli/eslint'));
const { n8nCommunityNodesPlugin } = bring('@n8n/eslint-plugin-community-nodes') as {
	n8nCommunityNodesPlugin: { configs: Record<string, Rules.Config> };
};
// With NODE_ENV as vitest sets it, the plugin takes every file for one of its own tests.
const environment = process.env.NODE_ENV;
process.env.NODE_ENV = 'production';
const nodesBase = bring('eslint-plugin-n8n-nodes-base') as Linter.Plugin & {
	configs: Record<string, { rules: Rules.RulesRecord }>;
};
process.env.NODE_ENV = environment;
const { parser } = bring('typescript-eslint') as { parser: Rules.Parser };

/**
 * The rules of @n8n/scan-community-package, which decides whether n8n verifies a node. The scanner itself can
 * only look at what is already published.
 */
const config: Rules.Config[] = [
	n8nCommunityNodesPlugin.configs.recommended ?? {},
	{ rules: { 'no-console': 'error' } },
	{ plugins: { 'n8n-nodes-base': nodesBase } },
	{ files: ['package.json'], rules: nodesBase.configs.community?.rules },
	{
		files: ['**/credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials?.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['**/nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes?.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{ files: ['**/*.json', '**/*.ts'], languageOptions: { parser } },
];

export const SOURCES = ['package.json', '{nodes,credentials}/**/*.{js,ts,json}'];
export const SHIPPED = ['package.json', '**/*.js'];

export interface Scan {
	files: number;
	complaints: string[];
}

/** Comments that turn rules off have no effect here. */
export async function scan(folder: string, patterns: string[]): Promise<Scan> {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: config,
		ignorePatterns: ['node_modules/**'],
	});
	const results = await eslint.lintFiles(patterns);
	return {
		files: results.length,
		complaints: results.flatMap(({ filePath, messages }) =>
			messages.map(({ line, ruleId, message }) => `${filePath}:${line} ${ruleId} ${message}`),
		),
	};
}
