/** The state's files: where they are, and in which order their columns stood when they were seen last. */

export const STATE_ADDRESS = 'https://www2.myfloridalicense.com/sto/file_download/extracts/';

export interface Source {
	name: string;
	/** The dated files list no licenses, and only date what has happened to them since 1 July. */
	kind: 'liquor' | 'food' | 'dated';
	columns: readonly string[];
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

export const APPROVALS = 'newfood';
export const TRANSFERS = 'chgownr_food';

export const SOURCES: readonly Source[] = [
	{ name: 'bd4006lic', kind: 'liquor', columns: LIQUOR },
	...[1, 2, 3, 4, 5, 6, 7].map(
		(district): Source => ({ name: `hrfood${district}`, kind: 'food', columns: FOOD }),
	),
	{ name: APPROVALS, kind: 'dated', columns: DATED },
	{ name: TRANSFERS, kind: 'dated', columns: DATED },
];

export const sourceOf = (name: string): Source => SOURCES.find((source) => source.name === name)!;

/** True if it lists licenses, so that one which leaves it may have ended. */
export const listsLicenses = (name: string): boolean => sourceOf(name).kind !== 'dated';
