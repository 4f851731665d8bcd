import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { dayIn } from '../filters/enteredDays';
import { oneOf, text } from '../filters/enteredValues';
import { field, readFilters, type ReadParameter } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { withDistance } from '../filters/placeFilters';
import type { License } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { flatten } from '../output/fields';
import { csv, geoJson, json, jsonLines, type Layout, writeFile } from '../output/files';
import {
	fieldsField,
	FORMS,
	outputForm,
	type OutputForm,
	withFindings,
} from '../output/outputForms';
import { pointOf } from '../places/address';
import type { OperationType } from './operationType';
import { MANY_REQUESTS, readLicenses } from './readLicenses';

/** By the ending of the file's name. */
const MIME_TYPES = {
	csv: 'text/csv',
	geojson: 'application/geo+json',
	json: 'application/json',
	jsonl: 'application/jsonl',
};
type Format = keyof typeof MIME_TYPES;
const FORMATS = Object.keys(MIME_TYPES) as Format[];

const fields: INodeProperties[] = [
	field('Format', 'format', 'options', 'csv', {
		description: 'The kind of file',
		options: [
			{ name: 'CSV', value: 'csv', description: 'A table for spreadsheets, CRMs and databases' },
			{
				name: 'GeoJSON',
				value: 'geojson',
				description:
					'Points on a map. Licenses without coordinates are at the center of their ZIP code.',
			},
			{ name: 'JSON', value: 'json', description: 'One list of all licenses' },
			{ name: 'JSON Lines', value: 'jsonl', description: 'One license per line' },
		],
	}),
	field('Columns', 'columns', 'options', 'all', {
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
	}),
	fieldsField({ columns: ['selectedFields'] }),
	field('File Name', 'fileName', 'string', '', {
		placeholder: 'e.g. licenses-hillsborough-2026-11-21.csv',
		description: "The name of the file. If left empty, it is 'licenses' and today's date.",
	}),
];

type ExportParameters = ReturnType<typeof readParameters>;

/** Reads all licenses into one file, and returns it with a summary. */
export const exportFile: OperationType<ExportParameters> = {
	name: 'Export',
	action: 'Export Florida liquor or food licenses',
	description:
		'Write all licenses that match the filters into one file, however many there are, newest first',
	fields,
	readsLists: true,

	readParameters,

	async *run(service, parameters, execution) {
		const { format, filters } = parameters;
		const fileName = parameters.fileName ?? `licenses-${dayIn(execution.timeZone)}.${format}`;
		const start = Date.now();
		const layout = layoutOf(parameters);
		let count = 0;
		let approximate = 0;
		let withoutCoordinates = 0;
		const write = (license: License): string | undefined => {
			const written = layout.write(license);
			if (written === undefined) withoutCoordinates++;
			else count++;
			if (written !== undefined && pointOf(license.address) === undefined) approximate++;
			return written;
		};
		const data = await writeFile(execution, {
			pages: readLicenses(service, execution, filters),
			layout: { ...layout, write },
			fileName,
			mimeType: MIME_TYPES[format],
		});
		const seconds = ((Date.now() - start) / 1000).toFixed(1);
		if (execution.run.answers >= MANY_REQUESTS)
			execution.hint(`Requests for this file: ${execution.run.answers}, in ${seconds} seconds`);
		if (format === 'geojson' && approximate > 0)
			execution.hint(
				`${formatCount(approximate)} of ${formatCount(count)} licenses have no coordinates. They are at the center of their ZIP code, and 'isApproximate' is true.`,
			);
		const leftOut = format === 'geojson' && { withoutCoordinates };
		yield [{ json: { fileName: data.fileName ?? fileName, count, ...leftOut }, binary: { data } }];
	},
};

function readParameters(read: ReadParameter, timeZone: string) {
	const columns = ['all', ...FORMS.map(({ value }) => String(value))];
	const parameters = {
		filters: readFilters(LIST_FILTERS, read, timeZone),
		format: oneOf('Format', read('format', 'csv'), FORMATS),
		columns: oneOf('Columns', read('columns', 'all'), columns),
		fields: read('fields', []),
		/** If absent, a name with the day. With a folder in it, some nodes would store the file somewhere unexpected. */
		fileName: text('File Name', read('fileName', ''))?.replace(/[/\\]/g, '-'),
	};
	toForm(parameters);
	return parameters;
}

function toForm({ columns, fields, format }: ExportParameters): OutputForm {
	if (columns !== 'all') return outputForm(columns, fields);
	return format === 'csv' || format === 'geojson'
		? withFindings((license) => flatten(license) as IDataObject)
		: outputForm('raw', fields);
}

function layoutOf(parameters: ExportParameters): Layout<License> {
	const { format, filters } = parameters;
	const toRecord = toForm(parameters);
	if (format === 'geojson') return geoJson(toRecord);
	// A license that is not there has all the columns that the others will have.
	const columns = () => Object.keys(toRecord(withDistance(filters)({})));
	const layout = format === 'csv' ? csv(columns()) : format === 'json' ? json : jsonLines;
	return { ...layout, write: (license) => layout.write(toRecord(license)) };
}
