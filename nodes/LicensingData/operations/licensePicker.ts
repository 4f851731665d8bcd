import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { LARGEST_PAGE, type License, licenseKey } from '../licenses/license';
import { joined } from '../licenses/text';
import { singleLine, webAddress } from '../output/flat';
import { text, withoutCommas } from '../filters/values';
import { getLicense } from '../service/licenses';
import { orThrow, readPage } from '../service/list';
import { withNodeErrors } from '../service/nodeError';
import { connect, type Service } from '../service/client';

const WHILE_USER_WAITS = { retries: 1, timeout: 10_000 };

/** Fills the list from which a user picks a license, a page at a time as the user scrolls. */
export async function searchLicenses(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await withNodeErrors(this, entriesFor(this, filter, paginationToken));
}

async function entriesFor(context: ILoadOptionsFunctions, filter?: string, cursor?: string) {
	const words = withoutCommas(text('Search', filter) ?? '');
	const service = await connect(context, WHILE_USER_WAITS);
	const [byNumber, outcome] = await Promise.all([
		cursor === undefined ? licenseByNumber(service, words) : [],
		readPage(service, { q: words || undefined, limit: LARGEST_PAGE, cursor }),
	]);
	const page = orThrow(outcome);
	const known = byNumber.map(licenseKey);
	const others = page.records.filter((license) => !known.includes(licenseKey(license)));
	return {
		results: [...byNumber, ...others].map(toListEntry),
		paginationToken: page.cursor ?? undefined,
	};
}

/** The service's own search does not cover license numbers. */
async function licenseByNumber(service: Service, words: string): Promise<License[]> {
	if (!/^[\w-]*\d[\w-]*$/.test(words)) return [];
	return await getLicense(service, words).then(
		(license) => [license],
		() => [],
	);
}

function toListEntry(license: License) {
	const value = licenseKey(license) ?? '';
	const name = joined(' · ', license.businessName, license.address?.city, license.licenseNumber);
	// The editor turns it into a link, and the service may send anything here.
	const url = webAddress(license.sourceUrl) ?? undefined;
	return { name: String(singleLine(name || value)), value, url };
}
