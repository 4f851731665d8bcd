/**
 * "Miami-Dade", "miami dade" and "MIAMI-DADE COUNTY" are one county. The interface promises only that case
 * does not matter; it writes county names hyphenated elsewhere, so hyphens, spaces and dots do not matter
 * here either.
 */
export const countyKey = (name: string): string =>
	name
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '')
		.replace(/county$/, '');
