import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import { combinations, type License, type ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { entriesOf } from './values';

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

/** The same for the parameters of a filter, wherever the node has them. */
export type GetValue = (name: string, isRaw?: boolean) => unknown;

/**
 * A filter, declared once: what the editor shows, what the service is asked for, how an entered value is read
 * and checked, and how a record is matched here. Every node takes it from the lists in `licenseFilters.ts`.
 */
export interface Filter<Value = unknown> {
	/** What its value is called, if not like the first parameter: two filters may read one. */
	name?: string;
	/** What the editor shows. The first parameter names the filter; others are read together with it. */
	fields: [INodeProperties, ...INodeProperties[]];
	/** Whether these are parameters of the node itself, and not in the collection 'Filters'. */
	isTopLevel?: boolean;
	/**
	 * Returns plain data, or undefined if nothing was asked for. Refuses what makes no sense, and says why. The
	 * time zone is the workflow's.
	 */
	read(given: GetValue, timeZone?: string): Value | undefined;
	/** The service's name for it. The service takes one value at a time, and the values are then texts. */
	query?: string;
	/** Whether a record passes. Absent if only the service can tell. */
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
export interface LocalFilter<Value = unknown> extends Filter<Value> {
	matches(license: License, value: Value): boolean;
}

/** What was read from a node's filters, by the name of the filter: plain data. */
export type FilterValues = Readonly<Record<string, unknown>>;

export const filterName = ({ fields: [first], name = first.name }: Filter): string => name;

export const filterLabel = ({ fields: [{ displayName }] }: Filter): string => displayName;

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
		filter.fields.forEach((field) => refuseEmptyExpression(field, given));
		return [filterName(filter), filter.read(given, timeZone)] as const;
	});
	const all = Object.fromEntries(values.filter(([, value]) => value !== undefined));
	for (const filter of filters) {
		const value = all[filterName(filter)];
		if (value !== undefined) filter.check?.(value, all);
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

/**
 * What to ask the service for, and what is left to match here. The queries share no record, and together return
 * everything that is wanted. If there are more than `most` of them, the filter with the most values is matched here
 * instead. What the service filters by is only checked for contradictions.
 */
export function toQueries(
	filters: readonly Filter[],
	values: FilterValues,
	max = Number.POSITIVE_INFINITY,
) {
	const active = filters.filter((filter) => values[filterName(filter)] !== undefined);
	const wantedBy = (filter: Filter) => values[filterName(filter)] as string[];
	const asked = active
		.filter(({ query }) => query !== undefined)
		.sort((a, b) => wantedBy(a).length - wantedBy(b).length);
	const count = () => asked.reduce((product, filter) => product * wantedBy(filter).length, 1);
	while (count() > max) asked.pop();

	const matchedHere = active.filter((filter) => !asked.includes(filter));
	const choices = asked.map((one) => ({ filter: String(one.query), values: wantedBy(one) }));
	return {
		queries: combinations({}, choices),
		/** Whether a record passes the filters that the service is not asked to apply. */
		matches: matcherOf(matchedHere, values),
		asked,
		matchedHere,
	};
}

/** Checks that a service applies the filters that it is asked to apply. */
export class AnswerCheck {
	private read = 0;
	/** How many of the records that were read are what the service was asked for. */
	right = 0;
	/** How many in a row are not. */
	inARow = 0;
	/** Whether the service was not asked on. */
	hasGivenUp = false;
	private readonly ignored = new Set<Filter>();

	constructor(
		private readonly asked: readonly Filter[],
		private readonly values: FilterValues,
	) {}

	/** Whether a record is what the service was asked for, as far as it says. */
	readonly accepts = (license: License): boolean => {
		const wrong = this.asked.filter((one) =>
			one.contradicts?.(license, this.values[filterName(one)]),
		);
		for (const filter of wrong) this.ignored.add(filter);
		this.read++;
		const isRight = wrong.length === 0;
		this.right += Number(isRight);
		this.inARow = isRight ? 0 : this.inARow + 1;
		return isRight;
	};

	/** The same for one of several queries. */
	readonly belongsTo = (license: License, query: ListQuery): boolean =>
		!this.asked.some((one) => one.contradicts?.(license, [query[String(one.query)]]));

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
		filters.map((filter) => `'${filterLabel(filter)}'`).sort((a, b) => a.localeCompare(b, 'en')),
	);

/** Whether a record passes all of these filters. */
export const matcherOf =
	(filters: readonly Filter[], values: FilterValues) =>
	(license: License): boolean =>
		filters.every((filter) => {
			const value = values[filterName(filter)];
			if (value === undefined) return true;
			// To let every record pass would look as if all of them matched.
			if (!filter.matches)
				throw new Error(`Only the service can filter by '${filterName(filter)}'`);
			return filter.matches(license, value);
		});
