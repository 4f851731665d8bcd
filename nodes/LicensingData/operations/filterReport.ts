import type { License, ListQuery } from '../licenses/license';
import { typeOfSeries } from '../licenses/knownValues';
import { formatCount } from '../licenses/text';
import { labelOf, nameOf, toQueries, type Filter, type FilterValues } from '../filters/filter';
import { adviceOnSeries, LIST_FILTERS } from '../filters/licenseFilters';
import { citiesElsewhere } from '../filters/territoryFilter';
import type { Execution } from './action';

/** From so many requests on, somebody waits for them, or pays for them. */
const MANY_REQUESTS = 20;

/** One of the filters that are matched here, and what became of the licenses that were read. */
interface Condition {
	label: string;
	passes: (license: License) => boolean;
	dayOf?: (license: License) => string | undefined;
	dayIs?: string;
	hasPassed: boolean;
	oldest?: string;
	newest?: string;
}

/** Applies the filters of a list, and says afterwards what they cost, and which of them left nothing. */
export class FilterReport {
	readonly queries: ListQuery[];
	/** Whether the service applies them all. */
	readonly isExact: boolean;
	private readonly asked: Filter[];
	private readonly conditions: Condition[];
	private read = 0;
	private hasFound = false;
	private readonly isWanted: (license: License) => boolean;

	constructor(
		private readonly filters: FilterValues,
		mostQueries: number,
	) {
		const { queries, matches, isExact, asked, matchedHere } = toQueries(
			LIST_FILTERS,
			filters,
			mostQueries,
		);
		this.queries = queries;
		this.isExact = isExact;
		this.isWanted = matches;
		this.asked = asked;
		this.conditions = matchedHere.flatMap((filter) => conditionsOf(filter, filters));
	}

	/** Whether a license passes the filters that the service does not apply. */
	readonly matches = (license: License): boolean => {
		this.read++;
		const isWanted = this.isWanted(license);
		this.hasFound ||= isWanted;
		// What is found needs no explanation.
		if (!this.hasFound) for (const condition of this.conditions) note(license, condition);
		return isWanted;
	};

	say(isEmpty: boolean, { hint, requestCount }: Pick<Execution, 'hint' | 'requestCount'>): void {
		if (isEmpty) hint(this.explanation());
		const { conditions, filters } = this;
		if (conditions.length === 0 || filters.counties || requestCount() < MANY_REQUESTS) return;
		hint(
			`This took ${formatCount(requestCount())} requests, as the service does not filter by ${listed(labelsOf(conditions), 'or')}: the node reads the list, and picks from it. Choose 'Counties', too, and only their licenses are read.`,
		);
	}

	private explanation(): string {
		const [words] = (this.filters.query ?? []) as string[];
		const type = typeOfSeries(words);
		if (type !== undefined) return `${words} is a kind of license. ${adviceOnSeries(type.name)}`;
		return this.read > 0 ? this.aboutRead() : this.aboutAsked();
	}

	private aboutRead(): string {
		const never = this.conditions.filter(({ hasPassed }) => !hasPassed);
		const named = never.length > 0 ? never : this.conditions;
		const which =
			never.length > 0 ? listed(labelsOf(never), 'or') : `all of ${listed(labelsOf(named), 'and')}`;
		const count = this.read === 1 ? '1 license was' : `${formatCount(this.read)} licenses were`;
		const days = named.flatMap(({ dayIs, oldest, newest }) =>
			oldest === undefined ? [] : `${dayIs} from ${oldest} to ${newest}.`,
		);
		const elsewhere = citiesElsewhere(this.filters);
		return [
			`${count} read, and none matches ${which}.`,
			...new Set(days),
			...(elsewhere.length > 0
				? [`${elsewhere.join(', ')}, which is not among your 'Counties'.`]
				: []),
		].join(' ');
	}

	private aboutAsked(): string {
		const labels = this.asked.map(labelOf);
		if (labels.length === 0) return 'The list of the service is empty.';
		const together = labels.length > 1 ? ' together' : '';
		return `The service has no license that matches ${listed(labels, 'and')}${together}.`;
	}
}

function conditionsOf(filter: Filter, filters: FilterValues): Condition[] {
	const value = filters[nameOf(filter)];
	const { dayIs, dayOf } = filter;
	const conditions = filter.conditions?.(value) ?? [[labelOf(filter), value] as const];
	return conditions.map(([label, condition]) => ({
		label,
		passes: (license) => filter.matches?.(license, condition) ?? true,
		hasPassed: false,
		...(dayOf && { dayIs, dayOf }),
	}));
}

const labelsOf = (conditions: Condition[]): string[] => conditions.map(({ label }) => label);

function note(license: License, condition: Condition): void {
	condition.hasPassed ||= condition.passes(license);
	const day = condition.dayOf?.(license);
	if (day === undefined) return;
	if (!condition.oldest || day < condition.oldest) condition.oldest = day;
	if (!condition.newest || day > condition.newest) condition.newest = day;
}

/** In the order of the editor. */
function listed(labels: string[], last: 'and' | 'or'): string {
	const quoted = labels.map((label) => `'${label}'`).sort((a, b) => a.localeCompare(b, 'en'));
	const end = quoted.pop();
	return quoted.length > 0 ? `${quoted.join(', ')} ${last} ${end}` : String(end);
}
