import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import type { License, ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import type { ChosenPlaces } from '../places/chosenPlaces';
import { entriesOf } from './enteredValues';

/** A parameter, as the editor shows it. The rest of it is in n8n's own words. */
export const field = (
	displayName: string,
	name: string,
	type: NodePropertyTypes,
	defaultValue: INodeProperties['default'],
	rest: Omit<INodeProperties, 'displayName' | 'name' | 'type' | 'default'>,
): INodeProperties => ({ displayName, name, type, default: defaultValue, ...rest });

/** Reads a parameter of a node; raw, an expression stays as it was written. */
export type ReadParameter = (name: string, fallback?: unknown, isRaw?: boolean) => unknown;

/** Reads a parameter of a filter, wherever the node has it. */
export type GetValue = (name: string, isRaw?: boolean) => unknown;

/** The filters whose values are texts, any of which may match. Free text is one. */
export type TextsName =
	| 'counties'
	| 'eventTypes'
	| 'filingKinds'
	| 'licenseSeries'
	| 'licenseTypes'
	| 'query'
	| 'status';

export type DayName = `${'expires' | 'filed' | 'happened'}${'After' | 'Before'}`;

/** What was read from a node's filters, by the name of the filter: plain data. */
export type FilterValues = Readonly<
	Partial<
		Record<TextsName, readonly string[]> &
			Record<DayName, string> &
			Record<'onlyWithAddress' | 'onlyWithPhone', true> &
			Record<'cities' | 'near' | 'zipCodes', ChosenPlaces>
	>
>;

type FilterName = keyof FilterValues;
type ValueOf<Name extends FilterName> = NonNullable<FilterValues[Name]>;

/**
 * A filter, declared once: what the editor shows, what the service is asked for, how an entered value is read
 * and checked, and how a record is matched here. Every node takes it from the lists in `licenseFilters.ts`.
 */
export interface Filter<Name extends FilterName = FilterName, Value = ValueOf<Name>> {
	/** What its value is called. Two filters may read one parameter. */
	name: Name;
	/** What the editor shows. The first parameter labels the filter; others are read together with it. */
	fields: [INodeProperties, ...INodeProperties[]];
	/** True if these are parameters of the node itself, and not in the collection 'Filters'. */
	isTopLevel?: boolean;
	/**
	 * Returns plain data, or undefined if nothing was asked for. Refuses what makes no sense, and says why. The
	 * time zone is the workflow's.
	 */
	read(given: GetValue, timeZone?: string): Value | undefined;
	/** The service's name for it, if the service applies it. It takes one value at a time. */
	query?: string;
	/** Says whether a record passes. Absent if only the service can tell. */
	matches?(license: License, value: Value): boolean;
	/**
	 * Whether a record that the service sent for these values says that it has others. It does not where it says
	 * nothing, or something that this package does not know: the service may know more spellings.
	 */
	contradicts?(license: License, value: Value): boolean;
	/** Refuses what leaves nothing together with other filters. */
	check?(value: Value, all: FilterValues): void;
}

/** A filter that does not need the service, as a trigger's must be. */
export type LocalFilter<Name extends FilterName = FilterName> = Filter<Name> &
	Required<Pick<Filter<Name>, 'matches'>>;

/** A filter that the service applies. */
export type ServiceFilter<Name extends TextsName = TextsName> = Filter<Name> &
	Required<Pick<Filter<Name>, 'query'>>;

/** The collection in which users add filters, sorted by the names that people look for. */
export const filtersField = (filters: readonly Filter[]): INodeProperties =>
	field(
		'Filters',
		'filters',
		'collection',
		{},
		{
			placeholder: 'Add Filter',
			options: [...new Set(filters.flatMap(({ fields }) => fields))].sort((a, b) =>
				a.displayName.localeCompare(b.displayName, 'en'),
			),
		},
	);

/** Reads a node's filters. The triggers have none by day, for which the time zone matters. */
export function readFilters(
	filters: readonly Filter[],
	read: ReadParameter,
	timeZone?: string,
): FilterValues {
	const evaluated = read('filters', {}) as Record<string, unknown>;
	const written = read('filters', {}, true) as Record<string, unknown>;
	const values = filters.map((filter) => {
		const given: GetValue = filter.isTopLevel
			? (name, isRaw) => read(name, [], isRaw)
			: (name, isRaw) => (isRaw ? written : evaluated)[name];
		filter.fields.forEach((parameter) => refuseEmptyExpression(parameter, given));
		const isGiven = filter.fields.some(({ name }) => given(name) !== undefined);
		return [filter.name, isGiven ? filter.read(given, timeZone) : undefined] as const;
	});
	const all: FilterValues = Object.fromEntries(values.filter(([, value]) => value !== undefined));
	for (const { name, check } of filters) {
		const value = all[name];
		if (value !== undefined) check?.(value, all);
	}
	return all;
}

/**
 * If an expression gives nothing, a workflow without its filter would go on with everything. If an AI agent
 * leaves a value out, that is just no filter.
 */
function refuseEmptyExpression({ name, displayName }: INodeProperties, given: GetValue): void {
	if (!isExpression(given(name, true)) || entriesOf(displayName, given(name)).length > 0) return;
	throw invalidInput(
		`'${displayName}' is empty: its expression returns nothing`,
		'Check the expression, or remove the filter to get everything.',
	);
}

const isExpression = (raw: unknown): boolean =>
	typeof raw === 'string' && raw.startsWith('=') && !isFromAgent(raw);

export const isFromAgent = (raw: unknown): boolean =>
	typeof raw === 'string' && /\$fromAI\s*\(/i.test(raw);

/** Checks that a service applies the filters that it is asked to apply. */
export class AnswerCheck {
	private read = 0;
	/** How many of the records that were read are what the service was asked for. */
	right = 0;
	/** How many in a row are not. */
	inARow = 0;
	/** True once the service is not asked on. */
	hasGivenUp = false;
	private readonly ignored = new Set<Filter>();

	constructor(
		private readonly asked: readonly ServiceFilter[],
		private readonly values: FilterValues,
	) {}

	/** Takes a record, and says whether it is what the service was asked for, as far as it tells. */
	readonly accepts = (license: License): boolean => {
		const wrong = this.asked.filter((filter) =>
			filter.contradicts?.(license, this.values[filter.name] ?? []),
		);
		for (const filter of wrong) this.ignored.add(filter);
		this.read++;
		const isRight = wrong.length === 0;
		this.right += Number(isRight);
		this.inARow = isRight ? 0 : this.inARow + 1;
		return isRight;
	};

	/** Says whether a record is what this one of several queries asks for, as far as it tells. */
	readonly belongsTo = (license: License, query: ListQuery): boolean =>
		!this.asked.some((filter) => filter.contradicts?.(license, [String(query[filter.query])]));

	/** For the user, if anything was left out. */
	get hint(): string | undefined {
		if (this.ignored.size === 0) return undefined;
		const [count, all] = [this.read - this.right, this.read].map(formatCount);
		const end = this.hasGivenUp ? ' The list was not read to its end.' : '';
		return `Left out ${count} of the ${all} licenses that the service sent, which do not match ${labels('and', [...this.ignored])}. It ignores this filter, at least for some licenses.${end}`;
	}
}

/** In the order of the editor. */
export const labels = (last: 'and' | 'or', filters: Filter[]): string =>
	// British English has no comma before the last one.
	new Intl.ListFormat('en-GB', { type: last === 'and' ? 'conjunction' : 'disjunction' }).format(
		filters
			.map(({ fields: [{ displayName }] }) => `'${displayName}'`)
			.sort((a, b) => a.localeCompare(b, 'en')),
	);

/** Tells which records pass all of these filters. */
export const matcherOf =
	(filters: readonly Filter[], values: FilterValues) =>
	(license: License): boolean =>
		filters.every(({ name, matches }) => {
			const value = values[name];
			if (value === undefined) return true;
			// To let every record pass would look as if all of them matched.
			if (!matches) throw new Error(`Only the service can filter by '${name}'`);
			return matches(license, value);
		});
