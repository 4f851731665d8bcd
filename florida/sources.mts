/** The state's files: where they are, which columns are needed, and in which order they stood when seen last. */

export const STATE_ADDRESS = 'https://www2.myfloridalicense.com/sto/file_download/extracts/';

/** `licenses` lists licenses; `approvals` and `transfers` only date what happened to them since 1 July. */
export type SourceKind = 'liquor' | 'food' | 'approvals' | 'transfers';

export interface Source {
	name: string;
	kind: SourceKind;
	/** What the first column is called: anything else at the beginning is not the file. */
	begins: string;
	/** Without a header, columns are taken to stand in this order. */
	columns: readonly string[];
	needed: readonly string[];
}

const LIQUOR = (
	'Board,Profession,Owner Name,Series,Modifier,Mail Address 1,Mail Address 2,Mail Address 3,Mail City,Mail State,' +
	'Mail ZIP,Mail County,DBA,Location Address 1,Location Address 2,Location Address 3,Location City,Location State,' +
	'Location ZIP,Location County,License Number,Primary Status,Secondary Status,Original Licensure Date,' +
	'Effective Date,Expiration Date,Tax Stamp Designation,Smoking Designation,Retail Tobacco Indicator'
).split(',');

const FOOD = (
	'Board Code,License Type Code,Licensee Name,Rank Code,Modifier Code,Mailing Name,Mailing Street Address,' +
	'Mailing Address Line 2,Mailing Address Line 3,Mailing City,Mailing State Code,Mailing Zip Code,' +
	'Primary Phone Number,Mailing County Code,Business Name,Filler,Location Street Address,Location Address Line 2,' +
	'Location Address Line 3,Location City,Location State Code,Location Zip Code,Location County Code,' +
	'Location County,Secondary Phone Number,District,Region,License Number,Primary Status Code,' +
	'Secondary Status Code,License Expiry Date,Last Inspection Date,Number of Seats or Rental Units,' +
	'Base Risk Level,Secondary Risk Level'
).split(',');

/** The two risk levels stand in the header of these files and not in their rows. */
const DATED = ['Application Number', 'Application Type', 'Application Approval Date', ...FOOD];

const NEEDED_OF_LIQUOR = LIQUOR.filter(
	(name) => !/^(Board|Mail|Location State|Tax|Smoking|Retail)/.test(name),
);
const NEEDED_OF_FOOD = FOOD.filter((name) =>
	/^(Licensee|Rank|Business|Primary|Secondary [PS]|Location [SAZC]|License [NE])/.test(name),
).filter((name) => name !== 'Location State Code');
const NEEDED_OF_DATED = ['Application Approval Date', 'Licensee Name', 'License Number'];

const food = (name: string): Source => ({
	...{ name, kind: 'food', begins: 'Board Code' },
	...{ columns: FOOD, needed: NEEDED_OF_FOOD },
});
const dated = (name: string, kind: SourceKind): Source => ({
	...{ name, kind, begins: 'Application Number' },
	...{ columns: DATED, needed: NEEDED_OF_DATED },
});

export const SOURCES: readonly Source[] = [
	{
		...{ name: 'bd4006lic', kind: 'liquor', begins: 'Board' },
		...{ columns: LIQUOR, needed: NEEDED_OF_LIQUOR },
	},
	...['1', '2', '3', '4', '5', '6', '7'].map((district) => food(`hrfood${district}`)),
	dated('newfood', 'approvals'),
	dated('chgownr_food', 'transfers'),
];

export const sourceOf = (name: string): Source | undefined =>
	SOURCES.find((source) => source.name === name);

/** Whether the file lists licenses, so that one which leaves it may have ended. */
export const listsLicenses = ({ kind }: Source): boolean => kind === 'liquor' || kind === 'food';
