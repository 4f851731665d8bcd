import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import { LARGEST_PAGE, type License, licenseKey, type ListQuery } from '../licenses/license';
import { searchLicenses } from '../service/licenses';
import { orThrow, readPage } from '../service/list';
import { oneOf, shown, text, wholeNumber, yesOrNo } from '../filters/values';
import { joined, numberOf, textOf } from '../licenses/text';
import { rank, type Business, type Match } from '../match/ranking';
import { searchesFor } from '../match/searches';
import { companyName } from '../output/crmLead';
import { flatten } from '../output/flat';
import type { Action } from './action';
import { shownIf } from './shownIf';

interface MatchParameters {
	business: Business;
	minimumScore: number;
	candidates: number;
	/** Whether a business without a match comes out as an item, too. */
	keepsUnmatched: boolean;
	/** Whether items say what was asked. */
	includeInput: boolean;
}

const DEFAULT_MINIMUM_SCORE = 0.8;
const MOST_CANDIDATES = 10;
/** From these scores on, a further question could not find a much better match: with a street, and without one. */
const SAME_DOOR = 0.95;
const SAME_NAME = 0.88;

/** What few users change. */
const finer = shownIf({ adjustMatching: [true] });

const INCLUDE_INPUT: INodeProperties = {
	displayName: 'Include Input',
	name: 'includeInput',
	type: 'boolean',
	default: false,
	description: "Whether items hold what was asked, in the field 'asked'",
};

export const match: Action<MatchParameters> = {
	name: 'Match',
	action: 'Match business to Florida liquor or food license',
	description: 'Find the license of a business that you know by name and address',
	fields: [
		{
			displayName: 'Business Name',
			name: 'businessName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. The Rusty Anchor',
			description: 'The name of the business as it appears in your list: trade name or legal name',
		},
		{
			displayName: 'Street',
			name: 'street',
			type: 'string',
			default: '',
			placeholder: 'e.g. 100 Bay St, Suite 5',
			description:
				'House number and street. Without them, a match takes a nearly identical name in the same city or ZIP code.',
		},
		{
			displayName: 'City',
			name: 'city',
			type: 'string',
			default: '',
			placeholder: 'e.g. Tampa',
			description:
				'The city of the business. It keeps the search from finding others of the same name.',
		},
		{
			displayName: 'ZIP Code',
			name: 'zip',
			type: 'string',
			default: '',
			placeholder: 'e.g. 33602',
			description: 'The ZIP code of the business; only its first five digits count',
		},
		{
			displayName: 'Adjust Matching',
			name: 'adjustMatching',
			type: 'boolean',
			noDataExpression: true,
			default: false,
			description:
				'Whether to change how well a license has to match, how many come, and what becomes of a business without one',
		},
		finer({
			displayName: 'Minimum Score',
			name: 'minimumScore',
			type: 'number',
			default: DEFAULT_MINIMUM_SCORE,
			typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
			description:
				'How well a license has to match, from 0 to 1. A lower score finds more, but also more wrong ones.',
		}),
		finer({
			displayName: 'Candidates',
			name: 'candidates',
			type: 'number',
			default: 1,
			typeOptions: { minValue: 1, maxValue: MOST_CANDIDATES },
			description: 'Max number of licenses to return, best match first',
		}),
		finer({
			displayName: 'When Nothing Matches',
			name: 'noMatch',
			type: 'options',
			default: 'leaveOut',
			description: 'What becomes of a business for which no license is found',
			options: [
				{
					name: 'Keep the Business',
					value: 'keep',
					description: 'An item says what was asked, with a match score of 0 and the reason',
				},
				{
					name: 'Leave It Out',
					value: 'leaveOut',
					description: 'It comes out as no item',
				},
			],
		}),
		finer({ ...INCLUDE_INPUT, displayOptions: { show: { noMatch: ['leaveOut'] } } }),
		finer({
			...INCLUDE_INPUT,
			default: true,
			displayOptions: { show: { noMatch: ['keep'] } },
		}),
	],
	hasOutput: true,
	looksUp: true,

	readParameters(read) {
		const keepsUnmatched =
			oneOf('When Nothing Matches', read('noMatch', 'leaveOut'), ['keep', 'leaveOut']) === 'keep';
		return {
			keepsUnmatched,
			includeInput: yesOrNo('Include Input', read('includeInput', keepsUnmatched)),
			business: {
				name: line('Business Name', read('businessName')) ?? '',
				street: line('Street', read('street', '')),
				city: line('City', read('city', '')),
				zip: line('ZIP Code', read('zip', '')),
			},
			minimumScore: share('Minimum Score', read('minimumScore', DEFAULT_MINIMUM_SCORE)),
			candidates: wholeNumber('Candidates', read('candidates', 1), { most: MOST_CANDIDATES }),
		};
	},

	async *run(service, parameters, { toItem, hint }) {
		const { business, minimumScore, candidates } = parameters;
		if (business.name === '') {
			yield unmatched("'Business Name' is empty", parameters, hint);
			return;
		}
		const { phrase, words, streets, county } = searchesFor(business);
		const found = new Map<string | undefined, License>();
		let matches = rank(business, []);
		const best = () => matches[0]?.score ?? 0;
		/** Whether there may be more than came. */
		const add = (licenses: License[]): boolean => {
			for (const license of licenses) found.set(licenseKey(license), license);
			matches = rank(business, [...found.values()]);
			return licenses.length === LARGEST_PAGE;
		};
		const ask = async (query: ListQuery) =>
			add(orThrow(await readPage(service, { ...query, limit: LARGEST_PAGE })).records);
		const search = async (q: string) =>
			add(await searchLicenses(service, { q, county, limit: LARGEST_PAGE }));
		const mayHaveMore = phrase !== '' && (await ask({ q: phrase }));
		const goodEnough = business.street === undefined ? SAME_NAME : SAME_DOOR;
		const listed = found.size;
		// The list knows no streets and no legal names; the search does.
		const searched = streets.length > 0 ? streets : [phrase].filter(Boolean);
		for (const q of searched) {
			if (best() >= goodEnough || !(await search(q))) break;
		}
		const isSearchBlind = found.size === listed;
		const further = mayHaveMore && county !== undefined ? [phrase] : words;
		for (const q of further.slice(0, isSearchBlind ? 2 : 1)) {
			if (best() < DEFAULT_MINIMUM_SCORE) await ask({ q, county });
		}
		const asked = askedOf(parameters);
		const items = matches
			.filter(({ score }) => score >= minimumScore)
			.slice(0, candidates)
			.map(({ license, score, reason }) => {
				const item = toItem({ ...license, matchScore: score, matchReason: reason });
				return { ...item, json: { ...item.json, ...asked } };
			});
		yield items.length > 0 ? items : unmatched(whyNone(parameters, matches), parameters, hint);
	},
};

/** What comes out for a business without a match. */
function unmatched(
	matchReason: string,
	parameters: MatchParameters,
	hint: (line: string) => void,
): INodeExecutionData[] {
	if (parameters.keepsUnmatched) {
		return [{ json: { matchScore: 0, matchReason, ...askedOf(parameters) } }];
	}
	const { name, street, city, zip } = parameters.business;
	const business = name || joined(', ', street, joined(' ', city, zip)) || 'one without an address';
	hint(
		`A business is left out: ${shown(business)} (${matchReason}). 'When Nothing Matches', under 'Adjust Matching', can keep such businesses.`,
	);
	return [];
}

/** By the names of the parameters; what was not asked is null, so that all items have the same columns. */
function askedOf({ includeInput, business }: MatchParameters): IDataObject {
	const { name, street = null, city = null, zip = null } = business;
	return includeInput ? { asked: { businessName: name || null, street, city, zip } } : {};
}

/** So that a user knows what to correct, or to look at. */
function whyNone({ business, minimumScore }: MatchParameters, [best]: Match[]): string {
	if (best !== undefined && best.score > 0) {
		const { license, score, reason } = best;
		return `no license scores ${minimumScore} or more; the closest, ${named(license)}, scores ${score}: ${reason}`;
	}
	return searchesFor(business).streets.length > 0
		? 'no license found by this name or at this address'
		: 'no license found by this name; with house number and street, the address is searched as well';
}

function named(license: License): string {
	const flat = flatten(license);
	const number = textOf(flat.licenseNumber);
	return shown(joined(' ', companyName(flat), number && `(${number})`));
}

/** CRMs such as Salesforce keep a street and its suite in two lines. */
const line = (label: string, value: unknown): string | undefined =>
	text(label, typeof value === 'string' ? value.replace(/\s+/g, ' ') : value);

function share(label: string, value: unknown): number {
	const number = numberOf(value);
	if (number >= 0 && number <= 1) return number;
	throw invalidInput(`'${label}' is not a number from 0 to 1`, 'Correct the number, e.g. 0.8.');
}
