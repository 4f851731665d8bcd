import type { INodeProperties } from 'n8n-workflow';

import { fieldsField } from '../output/outputFields';

export const exportFields: INodeProperties[] = [
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
			{
				name: 'CRM Lead',
				value: 'crmLead',
				description: 'Fields named as CRMs name them: company, street, city, lead source',
			},
			{
				name: 'Selected Fields',
				value: 'selectedFields',
				description: 'The license and event IDs, and the fields you choose',
			},
			{
				name: 'Simplified',
				value: 'simplified',
				description: 'The ten most-used fields, without nesting',
			},
		],
	},
	fieldsField({ columns: ['selectedFields'] }),
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. licenses-hillsborough-2026-11-21.csv',
		description:
			"The name of the file. If left empty, it is 'licenses', what the filters keep, and today's date.",
	},
];

export const exportOptions: INodeProperties[] = [
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
