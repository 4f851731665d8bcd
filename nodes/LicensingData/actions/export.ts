import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../domain/failure';
import { writeFile } from '../output/file/writeFile';
import { csv, geoJson, json, jsonLines, type Layout } from '../output/file/layouts';
import type { FilterValues } from '../parameters/filter';
import { readFilters } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { strayPlaces, withDistance } from '../parameters/territoryFilter';
import { oneOf, text, yesOrNo } from '../parameters/values';
import type { License } from '../domain/license';
import { formatCount } from '../domain/readableText';
import { outputForm, type OutputForm, withFindings } from '../output/outputForm';
import { flatten } from '../output/flat';
import type { Action } from './action';
import { exportFields, exportOptions } from './exportFields';
import { ExportSummary } from './exportSummary';
import { nameOfFilters } from './fileName';
import { readLicenses } from './readLicenses';
import { hintAtSeries } from './seriesHint';
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

interface ExportParameters {
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
export const exportFile: Action<ExportParameters> = {
	name: 'Export',
	action: 'Export Florida liquor or food licenses',
	description:
		'Write all licenses that match the filters into one file, however many there are, newest first',
	fields: exportFields,
	options: exportOptions,
	readsLists: true,

	readParameters(read) {
		const options = read('options', {}) as Record<string, unknown>;
		const parameters: ExportParameters = {
			filters: readFilters(LIST_FILTERS, read),
			format: oneOf('Format', read('format', 'csv'), FORMAT_NAMES),
			columns: oneOf('Columns', read('columns', 'all'), COLUMNS),
			fields: read('fields', []),
			fileName: toFileName(read('fileName', '')),
			byteOrderMark: yesOrNo('Byte Order Mark', options.byteOrderMark ?? true),
			keepIncomplete: yesOrNo('Keep Incomplete File', options.keepIncomplete),
		};
		toForm(parameters);
		return parameters;
	},

	async *run(service, parameters, execution) {
		const { requestCount, log, warn, helpers, timeZone, stopped } = execution;
		strayPlaces(parameters.filters).forEach(warn);
		const { ending, mimeType } = FORMATS[parameters.format];
		const fileName = parameters.fileName ?? defaultName(parameters.filters, timeZone, ending);
		const summary = new ExportSummary();
		let incompleteBecause: string | undefined;

		const layout = layoutOf(parameters);
		const write = (license: License): string | undefined => {
			const written = layout.write(license);
			if (written === undefined) {
				summary.leftOut++;
				return undefined;
			}
			summary.add(license);
			if (summary.count % LOG_EVERY === 0) {
				log(`Export has written ${formatCount(summary.count)} licenses to ${fileName}`);
			}
			return written;
		};

		const pages = readLicenses(service, execution, {
			filters: parameters.filters,
			onShortfall: (why) => (incompleteBecause = why),
		});
		const { data, failure } = await writeFile(
			{ helpers },
			{
				pages,
				layout: { ...layout, write },
				fileName,
				mimeType,
				keepIncomplete: parameters.keepIncomplete,
				stopped,
			},
		);
		if (failure instanceof Error) incompleteBecause = failure.message;
		const isComplete = incompleteBecause === undefined;
		if (!isComplete) {
			log(`${fileName} is not complete: ${incompleteBecause}`);
			data.fileName = fileName.replace(/(?=(\.[^.]*)?$)/, '-incomplete');
		}
		if (failure === undefined && summary.isEmpty) {
			hintAtSeries(parameters.filters, execution);
			await hintAtStatuses(service, parameters.filters, execution);
		}
		const json = {
			fileName: data.fileName ?? fileName,
			...summary.toJson({ isMap: parameters.format === 'geojson' }),
			requests: requestCount(),
			isComplete,
			...(!isComplete && { incompleteBecause }),
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

function toForm({ columns, fields, format }: ExportParameters): OutputForm {
	if (columns !== 'all') return outputForm(columns, fields);
	return format === 'csv' || format === 'geojson'
		? withFindings((license) => flatten(license) as IDataObject)
		: outputForm('raw', fields);
}

function layoutOf(parameters: ExportParameters): Layout<License> {
	const toRecord = toForm(parameters);
	if (parameters.format === 'geojson') return geoJson(toRecord);
	// A license that is not there has all the columns that the others will have.
	const columns = () => Object.keys(toRecord(withDistance(parameters.filters)({})));
	const layout =
		parameters.format === 'csv'
			? csv(columns(), parameters.byteOrderMark)
			: parameters.format === 'json'
				? json
				: jsonLines;
	return { ...layout, write: (license) => layout.write(toRecord(license)) };
}

const defaultName = (filters: FilterValues, timeZone: string, ending: string): string =>
	`${['licenses', nameOfFilters(LIST_FILTERS, filters), today(timeZone)].filter(Boolean).join('-')}.${ending}`;

/** Today in the workflow's time zone, as year-month-day. */
const today = (timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());
