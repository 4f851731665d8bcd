import { it } from 'vitest';

import { findCounty } from '../../nodes/LicensingData/domain/counties.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { outputForm } from '../../nodes/LicensingData/output/outputForm.ts';
import { isInTerritory } from '../../nodes/LicensingData/geography/territory.ts';
import { rank } from '../../nodes/LicensingData/matching/ranking.ts';
import { license } from '../support/records.mts';

/** A seventh of what an answer may hold. Work that grows with the square of this takes minutes. */
const LENGTH = 300_000;

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

it.each(WAYS)(
	'A license with long texts does not block n8n where it %s',
	(_, use) => {
		for (const text of Object.values(TEXTS)) use(filledWith(text));
	},
	60_000,
);
