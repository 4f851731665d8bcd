import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { shownRules } from '../../scripts/verification/shown.mts';
import { nodes } from '../support/node-classes.mts';

const choice = (displayName: string, ...names: string[]): INodeProperties => ({
	...{ displayName, name: 'one', type: 'options', default: '', description: 'Which one' },
	options: names.map((name) => ({ name, value: name, action: `Do ${name.toLowerCase()}` })),
});

/** What each rule says of a description that breaks it. */
const BROKEN: Record<string, [broken: Partial<INodeTypeDescription>, complaint: string]> = {
	'A node has one credential': [{ credentials: [{ name: 'a' }, { name: 'b' }] }, 'It has a, b'],
	'Lists are alphabetical': [
		{ properties: [choice('Output', 'Simplified', 'Raw', 'CRM Lead')] },
		"'Output' has 'Raw' in another place",
	],
	'A trigger has Trigger On for what starts it, without a description': [
		{ group: ['trigger'], properties: [choice('Events')] },
		"It has 'Events': Which one",
	],
	"Each operation's and each event's action names its object": [
		{ properties: [choice('Operation', 'Get Many')] },
		"'Get Many' is 'Do get many'",
	],
};

it.each(shownRules.map((rule) => [rule.name, rule] as const))(
	'npm run verify sees whether its rule is met: %s',
	(name, { complaints }) => {
		const [[, { description }] = expect.unreachable()] = nodes;
		const [broken, complaint] = BROKEN[name] ?? expect.unreachable();
		expect(complaints({ ...description, ...broken })).toEqual([complaint]);
		for (const [, node] of nodes) expect(complaints(node.description)).toEqual([]);
	},
);
