import type { INodeTypeDescription } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { shownRules } from '../../scripts/verification/shown.mts';
import { nodes } from '../support/node-classes.mts';

/** What each rule says of a description that breaks it. */
const BROKEN: Record<string, [broken: Partial<INodeTypeDescription>, complaint: string]> = {
	'A node has one credential': [{ credentials: [{ name: 'a' }, { name: 'b' }] }, 'It has a, b'],
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
