import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { COUNTIES, findCounty } from '../licenses/counties';
import { ALL_EVENT_TYPES, NEW_FILING } from '../licenses/eventTypes';
import { invalidInput } from '../licenses/failure';
import { FILING_KINDS, filingKind, NOT_KNOWN } from '../licenses/filingKind';
import { type Choice, findChoice } from '../licenses/findChoice';
import {
	findLicenseType,
	findTypeGroup,
	LICENSE_TYPE_GROUPS,
	LICENSE_TYPES,
	seriesKey,
	typeOfSeries,
	withoutGroups,
} from '../licenses/licenseTypes';
import { STATUSES, statusOf } from '../licenses/statuses';
import { plain, textOf } from '../licenses/text';
import { hasAllWords } from '../match/names';
import { countiesOf, hasAddress } from '../places/address';
import { countiesOfCity, findPlace } from '../places/cities';
import { type ChoiceFilter, choiceFilter } from './choiceFilter';
import { dayFilters } from './dayFilters';
import { choices, entriesOf, preview, text, withoutCommas, yesOrNo } from './enteredValues';
import { field, type Filter, type FilterValues, type LocalFilter, readFilters } from './filter';
import { PLACE_FILTERS } from './placeFilters';

const counties = choiceFilter({
	displayName: 'Counties',
	name: 'counties',
	description: 'Only licenses in one of these Florida counties',
	options: COUNTIES,
	query: 'county',
	find: findCounty,
	adviceOn: (unknown) => {
		const city = findPlace(unknown)?.name;
		const county = countiesOfCity(city)[0];
		return city && county && `${city} is a city in ${county}: use 'Cities', or choose its county.`;
	},
	// A register leaves the county out of some addresses, or writes what is none.
	valuesOf: ({ address }) => countiesOf(address),
	certainly: ({ address }) => findCounty(address?.county),
});

/** A type's code, if it has one: n8n cuts off long names. */
const shortName = (name: string): string => /\((\w+)\)$/.exec(name)?.[1] ?? name;

/** n8n's search looks at names alone, so these contain what people type. */
const LICENSE_TYPE_CHOICES: Choice[] = [
	...LICENSE_TYPE_GROUPS,
	...LICENSE_TYPES.map(({ name, value, description, examples }) => ({
		name: [shortName(name), examples].filter(Boolean).join(': '),
		value,
		description,
	})),
].sort((a, b) => a.name.localeCompare(b.name, 'en'));

const findEntered = (given: unknown): string | undefined =>
	findTypeGroup(given) ??
	typeOfSeries(given)?.value ??
	findChoice(LICENSE_TYPE_CHOICES, given) ??
	findLicenseType(given);

const licenseTypes = choiceFilter({
	displayName: 'License Types',
	name: 'licenseTypes',
	description:
		'Only licenses of these types. For every restaurant, choose Food Service and Seating; for bars and restaurants that serve alcohol, COP and SRX. An expression or an AI agent may also say restaurants, bars, food or liquor, or a series: 4COP.',
	options: LICENSE_TYPE_CHOICES,
	query: 'license_type',
	find: findLicenseType,
	findEntered,
	valuesOf: ({ licenseType }) => [licenseType],
	certainly: ({ licenseType }) => findChoice(LICENSE_TYPES, licenseType),
	expand: withoutGroups,
});

/** Of the series among them, such as 4COP: the service is asked for their types, and few say what series a license is. */
const licenseSeries: LocalFilter<'licenseSeries'> = {
	name: 'licenseSeries',
	fields: licenseTypes.fields,
	read(given) {
		const { displayName, name } = licenseTypes.fields[0];
		const chosen = choices(displayName, given(name), LICENSE_TYPE_CHOICES, (entry) =>
			isSeries(entry) ? seriesKey(entry) : findEntered(entry),
		);
		return chosen.some(isSeries) ? withoutGroups(chosen) : undefined;
	},
	matches({ licenseType, licenseSeries: sent }, wanted) {
		const series = seriesKey(sent);
		const isWanted = (one: string) => series === one || (/^s/.test(one) && series.endsWith(one));
		return (
			typeOfSeries(series) === undefined ||
			wanted.includes(findLicenseType(licenseType) ?? '') ||
			wanted.some(isWanted)
		);
	},
};

/** SRX is a type, which 4COP-SRX and SFS are of. */
const isSeries = (entry: unknown): boolean =>
	typeOfSeries(entry) !== undefined && seriesKey(entry) !== 'srx';

const eventTypes = (more: Pick<ChoiceFilter, 'displayName' | 'description' | 'default'>) =>
	choiceFilter({
		...more,
		name: 'eventTypes',
		options: ALL_EVENT_TYPES,
		query: 'event_type',
		valuesOf: ({ eventType }) => [eventType],
	});

const filingKinds = choiceFilter({
	displayName: 'Filing Kind',
	name: 'filingKinds',
	description:
		'Whether a new filing is for a new license, or for an old one that somebody took over. Leave empty to get all.',
	options: FILING_KINDS,
	valuesOf: (license) => [filingKind(license) ?? NOT_KNOWN],
});

const status: LocalFilter<'status'> = {
	name: 'status',
	fields: [
		field('Status', 'status', 'multiOptions', [], {
			options: STATUSES,
			description:
				'Only licenses with one of these statuses. Almost all are active. If your status is not in the list, switch this field to an expression and type it there.',
		}),
	],
	query: 'status',
	read(given) {
		const statuses = entriesOf('Status', given('status')).map((entry) =>
			statusOf(text('Status', entry)),
		);
		return statuses.length > 0 ? [...new Set(statuses)] : undefined;
	},
	matches: ({ status: given }, wanted) => wanted.includes(statusOf(given)),
	// Another word for a status may mean the same to the service.
	contradicts: ({ status: given }, wanted) =>
		[given, ...wanted].every((one) => findChoice(STATUSES, one) !== undefined) &&
		!wanted.includes(statusOf(given)),
};

const freeTextField = (description: string): INodeProperties =>
	field('Free Text', 'query', 'string', '', { placeholder: 'e.g. oyster bar', description });

/** Words to look for among names; empty if there are none. A kind of license, such as "4COP", is not in any name. */
export function readFreeText(label: string, value: unknown): string {
	const words = withoutCommas(text(label, value) ?? '');
	const type = typeOfSeries(words);
	if (type === undefined) return words;
	throw invalidInput(
		`'${label}' looks for names, and ${words} is a kind of license`,
		`Choose '${shortName(type.name)}' under 'License Types' of Get Many or a trigger, which includes this kind and others. An expression there may say ${words}, if the service tells them apart.`,
	);
}

const freeText: Filter<'query'> = {
	name: 'query',
	fields: [freeTextField('Words to look for in business names, cities and counties')],
	query: 'q',
	read(given) {
		const words = readFreeText('Free Text', given('query'));
		return words === '' ? undefined : [words];
	},
};

/** In the triggers: they have to know whether a record matches, and only the service knows how it searches. */
const freeTextMatchedHere: LocalFilter<'query'> = {
	name: 'query',
	fields: [
		freeTextField(
			'All words must appear in the business name, trade name, legal name, city or county, each at the start of a word: "bar" finds "Barbecue", but not "Crowbar"',
		),
	],
	read(given) {
		const words = readFreeText('Free Text', given('query'));
		if (words === '') return undefined;
		if (plain(words) !== '') return [words];
		throw invalidInput(
			`'Free Text' has neither a letter nor a digit: ${preview(words)}`,
			'Enter the words to look for, e.g. oyster bar.',
		);
	},
	matches: (license, [words = '']) => hasAllWords(license, words),
};

const onlyWithAddress: LocalFilter<'onlyWithAddress'> = {
	name: 'onlyWithAddress',
	fields: [
		field('Only With an Address', 'onlyWithAddress', 'boolean', true, {
			description:
				'Whether to leave out licenses without a street address. No venue uses these: the owners hold them for later, or to sell them. The state calls this "in escrow".',
		}),
	],
	read: (given) => yesOrNo('Only With an Address', given('onlyWithAddress')) || undefined,
	matches: hasAddress,
};

const onlyWithPhone: LocalFilter<'onlyWithPhone'> = {
	name: 'onlyWithPhone',
	fields: [
		field('Only With a Phone', 'onlyWithPhone', 'boolean', true, {
			description:
				'Whether to leave out licenses without a phone number. A service has one for some licenses only.',
		}),
	],
	read: (given) => yesOrNo('Only With a Phone', given('onlyWithPhone')) || undefined,
	matches: ({ enrichment }) => /\d/.test(textOf(enrichment?.phone)),
};

/** What Count, Export and Get Many filter by. */
export const LIST_FILTERS: Filter[] = [
	counties,
	eventTypes({
		displayName: 'Events',
		description: 'Only licenses whose latest event is one of these',
	}),
	...dayFilters('expires', 'Expires', 'licenses that expire', (license) => license.expirationDate),
	...dayFilters('filed', 'Filed', 'licenses filed', ({ filedDate }) => filedDate),
	filingKinds,
	freeText,
	...dayFilters(
		'happened',
		'Happened',
		'licenses whose latest event was',
		({ eventTimestamp }) => eventTimestamp,
	),
	licenseTypes,
	licenseSeries,
	onlyWithAddress,
	onlyWithPhone,
	status,
	...PLACE_FILTERS,
];

/** What Search filters by: the service documents nothing else. */
export const SEARCH_FILTERS: Filter[] = [counties];

/** What starts a trigger. By n8n's guidelines it is called this, and needs no description. */
export const TRIGGER_EVENTS: LocalFilter<'eventTypes'> = {
	...eventTypes({ displayName: 'Trigger On', default: [NEW_FILING] }),
	isTopLevel: true,
};

/** What the webhook trigger filters by: what the service can be asked to deliver, the territory, and words. */
export const WEBHOOK_FILTERS: LocalFilter[] = [
	counties,
	licenseTypes,
	licenseSeries,
	filingKinds,
	...PLACE_FILTERS,
	onlyWithAddress,
	onlyWithPhone,
	freeTextMatchedHere,
];

/** What the polling trigger filters by. */
export const POLLING_FILTERS: LocalFilter[] = [...WEBHOOK_FILTERS, status];

/** Reads the filters of a trigger. */
export const readTriggerFilters = (
	filters: readonly Filter[],
	context: Pick<IPollFunctions, 'getNodeParameter'>,
): FilterValues =>
	readFilters(filters, (name, fallback, rawExpressions = false) =>
		context.getNodeParameter(name, fallback, { rawExpressions }),
	);
