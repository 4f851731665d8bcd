import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { refusal } from '../domain/failure';
import { LARGEST_PAGE, listLicenses } from '../transport/licenses';
import { MOST_AT_ONCE, RequestLimiter } from '../transport/requestLimiter';
import { connect, type RequestSettings, type Service } from '../transport/request';
import { writeFile } from '../output/file/writeFile';
import { csv, json, jsonLines } from '../output/file/layouts';
import type { FilterValues } from '../parameters/filter';
import { toQueries } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { text, yesOrNo } from '../parameters/values';
import type { License } from '../domain/license';
import { LATEST_DATE, momentOf } from '../domain/moment';
import { outputForm, type OutputForm, withFindings } from '../output/outputForm';
import { flatten } from '../output/flat';
import { streamList } from '../listing/streamList';
import type { ReadParameter } from './action';
import { readCollection } from './action';
import { watchForEnd } from './earlyEnd';
import { missing, MOST_QUERIES } from './getMany';
import { toParallelRequests, toSettings } from './options';

const FORMATS = {
	csv: { ending: 'csv', mimeType: 'text/csv' },
	json: { ending: 'json', mimeType: 'application/json' },
	jsonl: { ending: 'jsonl', mimeType: 'application/jsonl' },
};
type FormatName = keyof typeof FORMATS;

export interface ExportPlan {
	filters: FilterValues;
	format: FormatName;
	columns: unknown;
	fields: unknown;
	/** If absent, a name with today's date. */
	fileName?: string;
	byteOrderMark: boolean;
	keepIncomplete: boolean;
	/** If absent, the node finds out by itself. */
	parallelRequests?: number;
	settings: RequestSettings;
}

const LOG_EVERY = 10_000;

/** Turns the parameters into plain data, or refuses them. */
export function planExport(read: ReadParameter): ExportPlan {
	const options = read('options', {}) as Record<string, unknown>;
	const plan: ExportPlan = {
		filters: readCollection(LIST_FILTERS, read),
		format: toFormat(read('format', 'csv')),
		columns: read('columns', 'all'),
		fields: read('fields', []),
		fileName: toFileName(read('fileName', '')),
		byteOrderMark: yesOrNo('Byte Order Mark', options.byteOrderMark),
		keepIncomplete: yesOrNo('Keep Incomplete File', options.keepIncomplete),
		parallelRequests: toParallelRequests(options),
		settings: toSettings(options),
	};
	toForm(plan);
	return plan;
}

/** Reads all licenses into one file, and returns it with a summary. */
export async function runExport(
	context: IExecuteFunctions,
	plan: ExportPlan,
): Promise<INodeExecutionData> {
	const { ending, mimeType } = FORMATS[plan.format];
	const fileName = plan.fileName ?? `licenses-${today(context.getTimezone())}.${ending}`;
	const stopped = context.getExecutionCancelSignal();
	const limiter = new RequestLimiter(plan.parallelRequests, stopped);
	const start = Date.now();
	const summary = { count: 0, newest: Number.NEGATIVE_INFINITY, oldest: Number.POSITIVE_INFINITY };
	let requests = 0;
	let shortfall: string | undefined;

	const layout = layoutOf(plan);
	const write = (license: License): string => {
		const moment = momentOf(license.eventTimestamp);
		if (moment !== undefined && moment <= LATEST_DATE) {
			summary.newest = Math.max(summary.newest, moment);
			summary.oldest = Math.min(summary.oldest, moment);
		}
		if (++summary.count % LOG_EVERY === 0) {
			context.logger.info(
				`Export has written ${formatCount(summary.count)} licenses to ${fileName}`,
			);
		}
		return layout.write(license);
	};

	try {
		const service = await connect(context, { ...plan.settings, limiter });
		const counting: Service = async (request, read) => {
			requests++;
			return await service(request, read);
		};
		const { queries, matches } = toQueries(LIST_FILTERS, plan.filters, MOST_QUERIES);
		const pages = streamList({
			fetchPage: async (query) => await listLicenses(counting, query),
			queries: queries.map((query) => ({ ...query, limit: LARGEST_PAGE })),
			matches,
			watchForEnd: () => watchForEnd(plan.filters),
			readers: plan.parallelRequests ?? MOST_AT_ONCE,
			onMissing: (read, announced) => (shortfall = missing(read, announced)),
		});
		const { data, failure } = await writeFile(context, {
			pages,
			layout: { ...layout, write },
			fileName,
			mimeType,
			keepIncomplete: plan.keepIncomplete,
			stopped,
		});
		const reason = failure instanceof Error ? failure.message : shortfall;
		if (reason !== undefined) {
			context.logger.warn(`${fileName} is not complete: ${reason}`);
			data.fileName = fileName.replace(/(?=(\.[^.]*)?$)/, '-incomplete');
		}
		return {
			json: {
				fileName: data.fileName ?? fileName,
				count: summary.count,
				newest: toIso(summary.newest),
				oldest: toIso(summary.oldest),
				durationSeconds: (Date.now() - start) / 1000,
				requests,
				isComplete: reason === undefined,
				...(reason !== undefined && { incompleteBecause: reason }),
			},
			binary: { data },
		};
	} finally {
		limiter.close();
	}
}

function toFormat(value: unknown): FormatName {
	if (typeof value === 'string' && Object.hasOwn(FORMATS, value)) return value as FormatName;
	throw refusal(
		"'Format' has a value that this node does not know",
		'Choose one of: csv, json, jsonl.',
	);
}

/** With a folder in the name, some of the nodes that store files would put the file somewhere unexpected. */
function toFileName(value: unknown): string | undefined {
	const name = text('File Name', value);
	if (name === undefined || !/[/\\]/.test(name)) return name;
	throw refusal(
		`'File Name' is not the name of a file: ${name}`,
		'Leave out the folder. The node that stores the file decides where it goes.',
	);
}

function toForm({ columns, fields, format }: ExportPlan): OutputForm {
	switch (columns) {
		case 'all':
			return format === 'csv'
				? withFindings((license) => flatten(license) as IDataObject)
				: outputForm('raw', fields);
		case 'simplified':
		case 'crmLead':
		case 'selectedFields':
			return outputForm(columns, fields);
		default:
			throw refusal(
				"'Columns' has a value that this node does not know",
				'Choose one of: all, crmLead, selectedFields, simplified.',
			);
	}
}

function layoutOf(plan: ExportPlan) {
	const toRecord = toForm(plan);
	const complete = withDistance(plan.filters);
	const form: OutputForm = (license) => toRecord(complete(license));
	const layout =
		plan.format === 'csv'
			? csv(Object.keys(form({})), plan.byteOrderMark)
			: plan.format === 'json'
				? json
				: jsonLines;
	return { ...layout, write: (license: License) => layout.write(form(license)) };
}

/** Today in the workflow's time zone, as year-month-day. */
const today = (timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());

const formatCount = (count: number): string => count.toLocaleString('en-US');

const toIso = (moment: number): string | null =>
	Number.isFinite(moment) ? new Date(moment).toISOString() : null;
