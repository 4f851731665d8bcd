import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { csv, geoJson, json, jsonLines, type Layout } from '../output/layouts';
import { writeFile } from '../output/writeFile';
import { flatten } from '../output/flat';
import {
	fieldsField,
	FORMS,
	outputForm,
	type OutputForm,
	withFindings,
} from '../output/outputForm';
import { readFilters, type FilterValues } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { withDistance } from '../filters/territoryFilter';
import { oneOf, text } from '../filters/values';
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

interface ExportParameters {
	filters: FilterValues;
	format: FormatName;
	columns: (typeof COLUMNS)[number];
	fields: unknown;
	/** If absent, a name with the day. */
	fileName?: string;
}

/** Reads all licenses into one file, and returns it with a summary. */
export const exportFile: Action<ExportParameters> = {
	name: 'Export',
	action: 'Export Florida liquor or food licenses',
	description:
		'Write all licenses that match the filters into one file, however many there are, newest first',
	fields,
	readsLists: true,

	readParameters(read) {
		const parameters: ExportParameters = {
			filters: readFilters(LIST_FILTERS, read),
			format: oneOf('Format', read('format', 'csv'), Object.keys(FORMATS) as FormatName[]),
			columns: oneOf('Columns', read('columns', 'all'), COLUMNS),
			fields: read('fields', []),
			fileName: toFileName(read('fileName', '')),
		};
		toForm(parameters);
		return parameters;
	},

	async *run(service, parameters, execution) {
		const { requestCount, hint, helpers, timeZone } = execution;
		const { ending, mimeType } = FORMATS[parameters.format];
		const fileName = parameters.fileName ?? `licenses-${today(timeZone)}.${ending}`;
		const start = Date.now();
		const layout = layoutOf(parameters);
		let count = 0;
		let leftOut = 0;
		const write = (license: License): string | undefined => {
			const written = layout.write(license);
			if (written === undefined) leftOut++;
			else count++;
			return written;
		};

		const pages = readLicenses(service, execution, parameters.filters);
		const file = { pages, layout: { ...layout, write }, fileName, mimeType };
		const data = await writeFile({ helpers }, file);
		const summary = {
			fileName: data.fileName ?? fileName,
			count,
			...(parameters.format === 'geojson' && { withoutCoordinates: leftOut }),
		};
		const seconds = (Date.now() - start) / 1000;
		hint(`Requests for this file: ${requestCount()}, in ${seconds.toFixed(1)} seconds`);
		yield [{ json: summary, binary: { data } }];
	},
};

/** With a folder in the name, some of the nodes that store files would put the file somewhere unexpected. */
function toFileName(value: unknown): string | undefined {
	const name = text('File Name', value);
	if (name === undefined || !/[/\\]/.test(name)) return name;
	throw invalidInput(
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
		parameters.format === 'csv' ? csv(columns()) : parameters.format === 'json' ? json : jsonLines;
	return { ...layout, write: (license) => layout.write(toRecord(license)) };
}

/** Today in the workflow's time zone, as year-month-day. */
const today = (timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());
