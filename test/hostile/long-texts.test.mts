import { expect, it } from 'vitest';

import { findCounty } from '../../nodes/LicensingData/fields/county.ts';
import type { License } from '../../nodes/LicensingData/license/license.ts';
import { outputForm } from '../../nodes/LicensingData/output/index.ts';
import { isInTerritory } from '../../nodes/LicensingData/places/territory.ts';
import { rank } from '../../nodes/LicensingData/venue/match.ts';
import { license } from '../support/records.mts';

/** A twentieth of what an answer may hold. */
const LENGTH = 100_000;

const TEXTS = {
	letters: 'x'.repeat(LENGTH),
	spaces: `Lee${' '.repeat(LENGTH)}x`,
	hyphens: `Lee${'-'.repeat(LENGTH)}x`,
	digits: `${'1'.repeat(LENGTH)}x`,
	words: '1 a b '.repeat(LENGTH / 6),
	units: 'suite 5 '.repeat(LENGTH / 8),
};

/** What the service may send in every field of a license. */
const filledWith = (text: string): License => ({
	...Object.fromEntries(Object.keys(license()).map((field) => [field, text])),
	address: Object.fromEntries(
		['street', 'city', 'county', 'state', 'zip', 'lat', 'lng'].map((field) => [field, text]),
	) as License['address'],
});

const WAYS: Array<[string, (license: License) => unknown]> = [
	['becomes a CRM lead', outputForm('crmLead', [])],
	['becomes simplified', outputForm('simplified', [])],
	['is looked for in a county', ({ address }) => findCounty(address?.county)],
	[
		'is looked for in a territory',
		(one) =>
			isInTerritory(
				{
					cities: ['tampa'],
					near: { center: { lat: 28, lng: -82 }, miles: 1 },
					keepUnlocated: true,
				},
				one,
			),
	],
	[
		'is matched to a business',
		(one) =>
			rank({ name: 'The Rusty Anchor '.repeat(11), street: '1 Bay St', city: 'Tampa' }, [one]),
	],
];

/** Milliseconds for which nothing else runs. On a busy machine it takes longer, but no more work. */
function blocks(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	return process.cpuUsage(before).user / 1000;
}

it.each(WAYS)('A license with long texts blocks n8n for a moment where it %s', (_, use) => {
	for (const [name, text] of Object.entries(TEXTS)) {
		const filled = filledWith(text);
		expect({ name, isShort: blocks(() => use(filled)) < 1500 }).toEqual({ name, isShort: true });
	}
});
