import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { numberIn, oneOf, preview, text, yesOrNo } from '../filters/enteredValues';
import { field, type ReadParameter } from '../filters/filter';
import { type License, licenseKey } from '../licenses/license';
import { joined, textOf } from '../licenses/text';
import { type Answers, type Question, questionsFor, searchesFor } from '../match/questions';
import { type Business, DEFAULT_MINIMUM_SCORE, type Match, rank } from '../match/ranking';
import { companyName, flatten } from '../output/fields';
import type { Service } from '../service/client';
import { searchLicenses } from '../service/licenseRequests';
import { MAX_PAGE_SIZE, readPage } from '../service/listPages';
import type { OperationType } from './operationType';

type MatchParameters = ReturnType<typeof readParameters>;

/** For what few users change. */
const ADVANCED = { show: { adjustMatching: [true] } };

const MINIMUM_SCORE = field('Minimum Score', 'minimumScore', 'number', DEFAULT_MINIMUM_SCORE, {
	typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
	description: 'From 0 to 1. A lower score finds more licenses, but also more wrong ones.',
	displayOptions: ADVANCED,
});

const CANDIDATES = field('Candidates', 'candidates', 'number', 1, {
	typeOptions: { minValue: 1, maxValue: 10 },
	description: 'Max number of licenses to return, best match first',
	displayOptions: ADVANCED,
});

const INCLUDE_INPUT = field('Include Input', 'includeInput', 'boolean', false, {
	description: "Whether to add your input to each item, in the field 'asked'",
});

const whenNothingMatches = (usual: string, displayOptions: IDisplayOptions): INodeProperties =>
	field('When Nothing Matches', 'noMatch', 'options', usual, {
		description: 'What to return for a business without a match',
		options: [
			{
				name: 'Keep the Business',
				value: 'keep',
				description: 'Returns your input, with a match score of 0 and the reason',
			},
			{ name: 'Leave It Out', value: 'leaveOut', description: 'Returns nothing for it' },
		],
		displayOptions,
	});

const fields: INodeProperties[] = [
	field('Business Name', 'businessName', 'string', '', {
		required: true,
		placeholder: 'e.g. The Rusty Anchor',
		description: 'The trade name or the legal name, as it is in your list',
	}),
	field('Street', 'street', 'string', '', {
		placeholder: 'e.g. 100 Bay St, Suite 5',
		description:
			'House number and street. Without them, a match needs a nearly identical name in the same city or ZIP code.',
	}),
	field('City', 'city', 'string', '', {
		placeholder: 'e.g. Tampa',
		description: 'Rules out businesses of the same name in other cities',
	}),
	field('ZIP Code', 'zip', 'string', '', {
		placeholder: 'e.g. 33602',
		description: 'Only the first five digits count',
	}),
	field('Adjust Matching', 'adjustMatching', 'boolean', false, {
		noDataExpression: true,
		description:
			'Whether to change how well a license must match, how many to return, and what to return for a business without a match',
	}),
	MINIMUM_SCORE,
	CANDIDATES,
	whenNothingMatches('leaveOut', { ...ADVANCED, hide: { '@tool': [true] } }),
	// An AI agent cannot tell an empty answer from a license that it should have spelled otherwise.
	whenNothingMatches('keep', { show: { '@tool': [true] } }),
	{ ...INCLUDE_INPUT, displayOptions: { show: { ...ADVANCED.show, noMatch: ['leaveOut'] } } },
	{
		...INCLUDE_INPUT,
		default: true,
		displayOptions: { show: { ...ADVANCED.show, noMatch: ['keep'] } },
	},
];

export const match: OperationType<MatchParameters> = {
	name: 'Match',
	action: 'Match business to Florida liquor or food license',
	description: 'Find the license of a business that you know by name and address',
	fields,
	hasOutput: true,
	looksUp: true,

	readParameters,

	async *run(service, parameters, { toItem, hint }) {
		const { business, minimumScore, candidates, keepsUnmatched } = parameters;
		const matches = business.name === '' ? [] : await findMatches(service, business);
		const asked = askedOf(parameters);
		const items = matches
			.filter(({ score }) => score >= minimumScore)
			.slice(0, candidates)
			.map(({ license, score, reason }) => {
				const item = toItem({ ...license, matchScore: score, matchReason: reason });
				return { ...item, json: { ...item.json, ...asked } };
			});
		const matchReason = whyNoMatch(parameters, matches);
		if (items.length > 0) yield items;
		else if (keepsUnmatched) yield [{ json: { matchScore: 0, matchReason, ...asked } }];
		else {
			hint(
				`A business is left out: ${preview(lineOf(business))} (${matchReason}). To keep such businesses, use 'When Nothing Matches' under 'Adjust Matching'.`,
			);
		}
	},
};

function readParameters(read: ReadParameter) {
	const choices = ['keep', 'leaveOut'] as const;
	const noMatch = oneOf('When Nothing Matches', read('noMatch', 'leaveOut'), choices);
	const keepsUnmatched = noMatch === 'keep';
	return {
		keepsUnmatched,
		includeInput: yesOrNo('Include Input', read('includeInput', keepsUnmatched)),
		business: {
			name: text('Business Name', read('businessName')) ?? '',
			street: text('Street', read('street', '')),
			city: text('City', read('city', '')),
			zip: text('ZIP Code', read('zip', '')),
		},
		minimumScore: numberIn(MINIMUM_SCORE, read),
		candidates: numberIn(CANDIDATES, read),
	};
}

/** The best of what a few questions find, first. */
async function findMatches(service: Service, business: Business): Promise<Match[]> {
	const found = new Map<string | License, License>();
	const answers: Answers = {};
	let matches: Match[] = [];
	for (const question of questionsFor(business)) {
		const { q, enough, isOpen } = question;
		const best = matches[0]?.score ?? 0;
		if (!q || best >= enough || (isOpen && !isOpen(answers))) continue;
		const licenses = await ask(service, question);
		const { size } = found;
		for (const license of licenses) found.set(licenseKey(license) ?? license, license);
		const isFull = licenses.length === MAX_PAGE_SIZE;
		answers[question.name] = { isFull, hasNews: found.size > size };
		matches = rank(business, [...found.values()]);
	}
	return matches;
}

async function ask(service: Service, { of, q = '', county }: Question): Promise<License[]> {
	const query = { q, county, limit: MAX_PAGE_SIZE };
	return of === 'search'
		? await searchLicenses(service, query)
		: (await readPage(service, query)).records;
}

/** By the names of the parameters; what was not asked is null, so that all items have the same columns. */
function askedOf({ includeInput, business }: MatchParameters): IDataObject {
	const { name, street = null, city = null, zip = null } = business;
	return includeInput ? { asked: { businessName: name || null, street, city, zip } } : {};
}

/** Tells users what to correct, or to look at. */
function whyNoMatch({ business, minimumScore }: MatchParameters, [best]: Match[]): string {
	if (business.name === '') return "'Business Name' is empty";
	if (best !== undefined && best.score > 0) {
		const flat = flatten(best.license);
		const number = textOf(flat.licenseNumber);
		const license = preview(joined(' ', companyName(flat), number && `(${number})`));
		return `no license scores ${minimumScore} or more; the closest, ${license}, scores ${best.score}: ${best.reason}`;
	}
	return searchesFor(business).streets.length > 0
		? 'no license found by this name or at this address'
		: 'no license found by this name; add house number and street to search by address, too';
}

const lineOf = ({ name, street, city, zip }: Business): string =>
	name || joined(', ', street, joined(' ', city, zip)) || 'one without a name or address';
