import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../domain/failure';
import { writeFile } from '../output/file/writeFile';
import { csv, geoJson, json, jsonLines, type Layout } from '../output/file/layouts';
import type { FilterValues } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { oneOf, text, yesOrNo } from '../parameters/values';
import type { License } from '../domain/license';
import { LATEST_DATE, momentOf } from '../domain/moment';
import { outputForm, type OutputForm, withFindings } from '../output/outputForm';
import { flatten } from '../output/flat';
import type { Action } from './action';
import { readCollection } from './action';
import { exportFields, exportOptions } from './exportFields';
import { nameOfFilters } from './fileName';
import { readLicenses } from './readLicenses';
import { hintAtStatuses } from './statusHint';

const FORMATS = {
	csv: { ending: 'csv', mimeType: 'text/csv' },
	geojson: { ending: 'geojson', mimeType: 'application/geo+json' },
	json: { ending: 'json', mimeType: 'application/json' },
	jsonl: { ending: 'jsonl', mimeType: 'application/jsonl' },
};
type FormatName = keyof typeof FORMATS;
const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

const COLUMNS = ['all', 'crmLead', 'selectedFields', 'simplified'] as const;

interface ExportPlan {
	filters: FilterValues;
	format: FormatName;
	columns: (typeof COLUMNS)[number];
	fields: unknown;
	/** If absent, a name that says what is in the file, and when it was written. */
	fileName?: string;
	byteOrderMark: boolean;
	keepIncomplete: boolean;
}

const LOG_EVERY = 10_000;

/** Reads all licenses into one file, and returns it with a summary. */
export const exportFile: Action<ExportPlan> = {
	name: 'Export',
	action: 'Export Florida liquor or food licenses',
	description:
		'Write all licenses that match the filters into one file, however many there are, newest first',
	fields: exportFields,
	options: exportOptions,
	readsLists: true,

	plan(read) {
		const options = read('options', {}) as Record<string, unknown>;
		const plan: ExportPlan = {
			filters: readCollection(LIST_FILTERS, read),
			format: oneOf('Format', read('format', 'csv'), FORMAT_NAMES),
			columns: oneOf('Columns', read('columns', 'all'), COLUMNS),
			fields: read('fields', []),
			fileName: toFileName(read('fileName', '')),
			byteOrderMark: yesOrNo('Byte Order Mark', options.byteOrderMark ?? true),
			keepIncomplete: yesOrNo('Keep Incomplete File', options.keepIncomplete),
		};
		toForm(plan);
		return plan;
	},

	async *run(service, plan, circumstances) {
		const { requestCount, log, helpers, timeZone, stopped } = circumstances;
		const { ending, mimeType } = FORMATS[plan.format];
		const fileName = plan.fileName ?? defaultName(plan.filters, timeZone, ending);
		const start = Date.now();
		const summary = {
			count: 0,
			leftOut: 0,
			newest: Number.NEGATIVE_INFINITY,
			oldest: Number.POSITIVE_INFINITY,
		};
		let shortfall: string | undefined;

		const layout = layoutOf(plan);
		const write = (license: License): string | undefined => {
			const written = layout.write(license);
			if (written === undefined) {
				summary.leftOut++;
				return undefined;
			}
			const moment = momentOf(license.eventTimestamp);
			if (moment !== undefined && moment <= LATEST_DATE) {
				summary.newest = Math.max(summary.newest, moment);
				summary.oldest = Math.min(summary.oldest, moment);
			}
			if (++summary.count % LOG_EVERY === 0) {
				log(`Export has written ${formatCount(summary.count)} licenses to ${fileName}`);
			}
			return written;
		};

		const pages = readLicenses(service, circumstances, {
			filters: plan.filters,
			onMissing: (why) => (shortfall = why),
		});
		const { data, failure } = await writeFile(
			{ helpers },
			{
				pages,
				layout: { ...layout, write },
				fileName,
				mimeType,
				keepIncomplete: plan.keepIncomplete,
				stopped,
			},
		);
		const reason = failure instanceof Error ? failure.message : shortfall;
		if (reason !== undefined) {
			log(`${fileName} is not complete: ${reason}`);
			data.fileName = fileName.replace(/(?=(\.[^.]*)?$)/, '-incomplete');
		}
		if (failure === undefined && summary.count + summary.leftOut === 0) {
			await hintAtStatuses(service, plan.filters, circumstances);
		}
		const json = {
			fileName: data.fileName ?? fileName,
			count: summary.count,
			...(plan.format === 'geojson' && { withoutCoordinates: summary.leftOut }),
			newest: toIso(summary.newest),
			oldest: toIso(summary.oldest),
			durationSeconds: (Date.now() - start) / 1000,
			requests: requestCount(),
			isComplete: reason === undefined,
			...(reason !== undefined && { incompleteBecause: reason }),
		};
		yield [{ json, binary: { data } }];
	},
};

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
	if (columns !== 'all') return outputForm(columns, fields);
	return format === 'csv' || format === 'geojson'
		? withFindings((license) => flatten(license) as IDataObject)
		: outputForm('raw', fields);
}

function layoutOf(plan: ExportPlan): Layout<License> {
	const toRecord = toForm(plan);
	if (plan.format === 'geojson') return geoJson(toRecord);
	// A license that is not there has all the columns that the others will have.
	const columns = () => Object.keys(toRecord(withDistance(plan.filters)({})));
	const layout =
		plan.format === 'csv'
			? csv(columns(), plan.byteOrderMark)
			: plan.format === 'json'
				? json
				: jsonLines;
	return { ...layout, write: (license) => layout.write(toRecord(license)) };
}

const defaultName = (filters: FilterValues, timeZone: string, ending: string): string =>
	`${['licenses', nameOfFilters(filters), today(timeZone)].filter(Boolean).join('-')}.${ending}`;

/** Today in the workflow's time zone, as year-month-day. */
const today = (timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());

const formatCount = (count: number): string => count.toLocaleString('en-US');

const toIso = (moment: number): string | null =>
	Number.isFinite(moment) ? new Date(moment).toISOString() : null;
