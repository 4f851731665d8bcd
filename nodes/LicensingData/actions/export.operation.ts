import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { refusal } from '../domain/failure';
import type { License } from '../domain/license';
import { LAST_MOMENT, momentOf } from '../domain/moment';
import { csv, geoJson, json, jsonLines, type Layout } from '../output/file/layouts';
import { writeFile } from '../output/file/writeFile';
import { flatten } from '../output/flat';
import { fieldsField, FORMS } from '../output/outputFields';
import { outputForm, withFindings, type OutputForm } from '../output/outputForm';
import { readFilters, type FilterValues } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { oneOf, text, yesOrNo } from '../parameters/values';
import type { Action } from './action';
import { readLicenses } from './readLicenses';

const FORMATS = {
	csv: { ending: 'csv', mimeType: 'text/csv' },
	geojson: { ending: 'geojson', mimeType: 'application/geo+json' },
	json: { ending: 'json', mimeType: 'application/json' },
	jsonl: { ending: 'jsonl', mimeType: 'application/jsonl' },
};
type FormatName = keyof typeof FORMATS;

const COLUMNS = ['all', 'crmLead', 'selectedFields', 'simplified'] as const;

const fields: INodeProperties[] = [
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		default: 'csv',
		description: 'The kind of file',
		options: [
			{ name: 'CSV', value: 'csv', description: 'A table for spreadsheets, CRMs and databases' },
			{
				name: 'GeoJSON',
				value: 'geojson',
				description: 'Points on a map. Licenses without coordinates are left out, and counted.',
			},
			{ name: 'JSON', value: 'json', description: 'One list of all licenses' },
			{ name: 'JSON Lines', value: 'jsonl', description: 'One license per line' },
		],
	},
	{
		displayName: 'Columns',
		name: 'columns',
		type: 'options',
		default: 'all',
		description: 'What the file says about each license',
		options: [
			{
				name: 'All',
				value: 'all',
				description:
					'In a CSV or GeoJSON file, every field, without nesting; otherwise, everything the service sends',
			},
			...FORMS,
		],
	},
	fieldsField({ columns: ['selectedFields'] }),
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. licenses-hillsborough-2026-11-21.csv',
		description: "The name of the file. If left empty, it is 'licenses' and today's date.",
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Byte Order Mark',
		name: 'byteOrderMark',
		type: 'boolean',
		default: true,
		description:
			'Whether a CSV file starts with the mark that tells Excel how accents are written. Switch it off for programs that take the mark for a part of the first column name.',
		displayOptions: { show: { '/format': ['csv'] } },
	},
	{
		displayName: 'Keep Incomplete File',
		name: 'keepIncomplete',
		type: 'boolean',
		default: false,
		description:
			'Whether to return what was read if the list cannot be read to the end. The file name then says so, and isComplete is false.',
	},
];

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

/** Reads all licenses into one file, and returns it with a summary. */
export const exportFile: Action<ExportParameters> = {
	name: 'Export',
	action: 'Export Florida liquor or food licenses',
	description:
		'Write all licenses that match the filters into one file, however many there are, newest first',
	fields,
	options,
	readsLists: true,

	readParameters(read) {
		const options = read('options', {}) as Record<string, unknown>;
		const parameters: ExportParameters = {
			filters: readFilters(LIST_FILTERS, read),
			format: oneOf('Format', read('format', 'csv'), Object.keys(FORMATS) as FormatName[]),
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
		const { requestCount, log, helpers, timeZone, stopped } = execution;
		const { ending, mimeType } = FORMATS[parameters.format];
		const fileName = parameters.fileName ?? `licenses-${today(timeZone)}.${ending}`;
		const start = Date.now();
		const layout = layoutOf(parameters);
		const moments = { newest: Number.NEGATIVE_INFINITY, oldest: Number.POSITIVE_INFINITY };
		let count = 0;
		let leftOut = 0;
		const write = (license: License): string | undefined => {
			const written = layout.write(license);
			if (written === undefined) {
				leftOut++;
				return undefined;
			}
			count++;
			const moment = momentOf(license.eventTimestamp);
			if (moment !== undefined && moment <= LAST_MOMENT) {
				moments.newest = Math.max(moments.newest, moment);
				moments.oldest = Math.min(moments.oldest, moment);
			}
			return written;
		};

		let incompleteBecause: string | undefined;
		const pages = readLicenses(service, execution, {
			filters: parameters.filters,
			onShortfall: (why) => (incompleteBecause = why),
		});
		const { keepIncomplete } = parameters;
		const file = {
			pages,
			layout: { ...layout, write },
			fileName,
			mimeType,
			keepIncomplete,
			stopped,
		};
		const { data, failure } = await writeFile({ helpers }, file);
		if (failure instanceof Error) incompleteBecause = failure.message;
		const isComplete = incompleteBecause === undefined;
		if (!isComplete) {
			log(`${fileName} is not complete: ${incompleteBecause}`);
			data.fileName = fileName.replace(/(?=(\.[^.]*)?$)/, '-incomplete');
		}
		const summary = {
			fileName: data.fileName ?? fileName,
			count,
			...(parameters.format === 'geojson' && { withoutCoordinates: leftOut }),
			newest: toIso(moments.newest),
			oldest: toIso(moments.oldest),
			durationSeconds: (Date.now() - start) / 1000,
			requests: requestCount(),
			isComplete,
			...(!isComplete && { incompleteBecause }),
		};
		yield [{ json: summary, binary: { data } }];
	},
};

const toIso = (moment: number): string | null =>
	Number.isFinite(moment) ? new Date(moment).toISOString() : null;

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

/** Today in the workflow's time zone, as year-month-day. */
const today = (timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());
