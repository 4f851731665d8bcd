import type { INodeProperties } from 'n8n-workflow';

import type { License } from '../licenses/license';
import {
	ALL_EVENT_TYPES,
	type Choice,
	COUNTIES,
	findChoice,
	findCounty,
	findLicenseType,
	LICENSE_TYPE_GROUPS,
	LICENSE_TYPES,
	NEW_FILING,
	spellings,
	STATUSES,
	typeOfSeries,
	withoutGroups,
} from '../licenses/knownValues';
import { FILING_KINDS, filingKind, NOT_KNOWN } from '../licenses/filingKind';
import { readFilters, type Filter, type FilterValues, type LocalFilter } from './filter';
import { dayFilters } from './dayFilters';
import { territory } from './territoryFilter';
import { choices, entriesOf, shown, text, withoutCommas, yesOrNo } from './values';
import { plain } from '../licenses/text';
import { invalidInput } from '../licenses/failure';
import { countiesOf, hasAddress } from '../places/address';
import { hasAllWords } from '../match/names';

/** A choice of several values that the service knows, of which it takes one at a time. */
const choiceFilter = ({
	field,
	query,
	options,
	find = (given) => findChoice(options, given),
	valueOf,
	expand = (values) => values,
}: {
	field: Pick<INodeProperties, 'displayName' | 'name' | 'description'> & { default?: string[] };
	query: string;
	options: Choice[];
	find?: (given: unknown) => string | undefined;
	valueOf: (license: License) => unknown;
	/** Turns what was chosen into values that the service knows. */
	expand?: (values: string[]) => string[];
}): LocalFilter<string[]> => ({
	fields: [{ default: [], ...field, type: 'multiOptions', options }],
	query,
	read(given) {
		const chosen = expand(choices(field.displayName, given(field.name), options, find));
		return chosen.length > 0 ? chosen : undefined;
	},
	matches: (license, wanted) => wanted.includes(find(valueOf(license)) ?? ''),
});

const counties: LocalFilter<string[]> = {
	...choiceFilter({
		field: {
			displayName: 'Counties',
			name: 'counties',
			description: 'Only licenses in one of these Florida counties',
		},
		query: 'county',
		options: COUNTIES,
		find: findCounty,
		valueOf: ({ address }) => address?.county,
	}),
	// A register leaves the county out of some addresses, or writes what is none.
	matches: ({ address }, wanted) => countiesOf(address).some((county) => wanted.includes(county)),
};

/** n8n's search looks at names alone, so these contain what people type. */
const LICENSE_TYPE_CHOICES: Choice[] = [
	...LICENSE_TYPE_GROUPS,
	...LICENSE_TYPES.map(({ examples, ...choice }) => ({
		...choice,
		name: examples === undefined ? choice.name : `${choice.name}: ${examples}`,
	})),
];

const licenseTypes = choiceFilter({
	field: {
		displayName: 'License Types',
		name: 'licenseTypes',
		description: 'Only licenses of these types',
	},
	query: 'license_type',
	options: LICENSE_TYPE_CHOICES,
	// "Liquor" means all of it.
	find: (given) =>
		findChoice(LICENSE_TYPE_CHOICES, given) ??
		findLicenseType(given) ??
		(typeof given === 'string' ? findChoice(LICENSE_TYPE_GROUPS, `all ${given}`) : undefined),
	valueOf: ({ licenseType }) => licenseType,
	expand: withoutGroups,
});

const eventTypes = (field: { description: string; default?: string[] }) =>
	choiceFilter({
		// The nodes panel lists the events of a trigger one by one if they are called this.
		field: { ...field, displayName: 'Events', name: 'eventTypes' },
		query: 'event_type',
		options: ALL_EVENT_TYPES,
		valueOf: ({ eventType }) => eventType,
	});

const freeTextField = {
	displayName: 'Free Text',
	name: 'query',
	type: 'string',
	default: '',
	placeholder: 'e.g. oyster bar',
} as const;

const freeText: Filter<[string]> = {
	fields: [
		{ ...freeTextField, description: 'Words to look for in business names, cities and counties' },
	],
	query: 'q',
	read(given) {
		const words = withoutCommas(text(freeTextField.displayName, given(freeTextField.name)) ?? '');
		return words === '' ? undefined : [words];
	},
};

/** In the triggers: they have to know whether a record matches, and only the service knows how it searches. */
const freeTextMatchedHere: LocalFilter<string> = {
	fields: [
		{
			...freeTextField,
			description:
				'Only licenses with all of these words in the business name, trade name, legal name, city or county. The trigger checks that itself: "bar" finds "Barbecue", but not "Crowbar".',
		},
	],
	read(given) {
		const words = text(freeTextField.displayName, given(freeTextField.name));
		const type = typeOfSeries(words);
		if (type !== undefined) {
			throw invalidInput(
				`'Free Text' looks for names, and ${shown(words)} is a kind of license`,
				adviceOnSeries(type.name),
			);
		}
		if (words === undefined || plain(words) !== '') return words;
		throw invalidInput(
			`'Free Text' has neither a letter nor a digit: ${shown(words)}`,
			'Enter the words to look for, e.g. oyster bar.',
		);
	},
	matches: hasAllWords,
};

export const adviceOnSeries = (type: string): string =>
	`Choose '${type}' under 'License Types'. It holds this kind among others, and the service does not tell them apart.`;

const status: LocalFilter<string[]> = {
	fields: [
		{
			displayName: 'Status',
			name: 'status',
			type: 'multiOptions',
			default: [],
			options: STATUSES,
			description:
				'Only licenses with one of these statuses. Almost all are active. If the one that you need is not in the list, switch this field to an expression and type it there.',
		},
	],
	query: 'status',
	read(given) {
		const statuses = entriesOf(given('status')).map((entry) => text('Status', entry) ?? '');
		return statuses.length > 0 ? [...new Set(statuses.flatMap(spellings))] : undefined;
	},
	matches: ({ status: given }, wanted) =>
		typeof given === 'string' && wanted.includes(given.trim().toLowerCase()),
};

const filingKinds: LocalFilter<string[]> = {
	fields: [
		{
			displayName: 'Filing Kind',
			name: 'filingKinds',
			type: 'multiOptions',
			default: [],
			options: FILING_KINDS,
			description:
				'Whether a new filing is for a new license, or for an old one that somebody took over. Leave empty to get all.',
		},
	],
	read(given) {
		const chosen = choices('Filing Kind', given('filingKinds'), FILING_KINDS, (one) =>
			findChoice(FILING_KINDS, one),
		);
		return chosen.length > 0 ? chosen : undefined;
	},
	matches: (license, wanted) => wanted.includes(filingKind(license) ?? NOT_KNOWN),
};

const onlyWithAddress: LocalFilter<true> = {
	fields: [
		{
			displayName: 'Only With an Address',
			name: 'onlyWithAddress',
			type: 'boolean',
			default: true,
			description:
				'Whether to leave out licenses without a street address. No venue uses them: their owners keep or sell them (the state says "in escrow").',
		},
	],
	read: (given) => yesOrNo('Only With an Address', given('onlyWithAddress')) || undefined,
	matches: hasAddress,
};

/** What Count, Export and Get Many filter by. */
export const LIST_FILTERS: Filter[] = [
	counties,
	eventTypes({ description: 'Only licenses whose latest event is one of these' }),
	...dayFilters('Filed', 'licenses filed', 'They were filed', ({ filedDate }) => filedDate),
	filingKinds,
	freeText,
	...dayFilters(
		'Happened',
		'renewals, transfers and other events',
		'Their latest events are',
		({ eventTimestamp }) => eventTimestamp,
	),
	licenseTypes,
	onlyWithAddress,
	status,
	territory,
];

/** What Search filters by: the service documents nothing else. */
export const SEARCH_FILTERS: Filter[] = [counties];

/** What starts a trigger. */
export const TRIGGER_EVENTS: LocalFilter = {
	...eventTypes({
		description: 'Which events start the workflow. Choose none for any.',
		default: [NEW_FILING],
	}),
	isBeside: true,
};

/** What the webhook trigger filters by: what the service can be asked to deliver, the territory, and words. */
export const WEBHOOK_FILTERS: LocalFilter[] = [
	counties,
	licenseTypes,
	filingKinds,
	territory,
	onlyWithAddress,
	freeTextMatchedHere,
];

/** What the polling trigger filters by. */
export const POLLING_FILTERS: LocalFilter[] = [...WEBHOOK_FILTERS, status];

/** What a trigger may read: its parameters, evaluated or as they were written. */
interface TriggerContext {
	getNodeParameter(
		name: string,
		fallback?: unknown,
		options?: { rawExpressions: boolean },
	): unknown;
}

export const readTriggerFilters = (
	filters: readonly Filter[],
	context: TriggerContext,
): FilterValues =>
	readFilters(filters, (name, fallback, rawExpressions = false) =>
		context.getNodeParameter(name, fallback, { rawExpressions }),
	);
