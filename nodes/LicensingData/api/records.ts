import { describeValue, isObject } from './answer';
import type { Failure } from './failure';
import { unexpectedAnswer } from './failure';
import type { License } from '../license/license';

/** The interface allows fifty; a service that gives more is believed, within reason. */
export const MOST_RECORDS = 1_000;

/** Fields that nothing but a license has: `id`, `status` or `address` may stand in anything. */
const LICENSE_FIELDS = [
	...['licenseNumber', 'licenseType', 'businessName', 'legalName', 'dbaName', 'filedDate'],
	...['effectiveDate', 'eventType', 'eventTimestamp', 'sourceUrl'],
];

const plain = (field: string): string => field.replace(/[\s_-]/g, '').toLowerCase();
/** What the fields of a license look like in another way of writing, or (JSON:API) what they stand in. */
const IN_OTHER_WORDS = new Set([...LICENSE_FIELDS.map(plain), 'attributes']);

/** What stands in the place of a license would come out as an item of nulls, so it is refused by name. */
export function toLicenses(list: unknown[]): License[] {
	if (list.length > MOST_RECORDS) {
		throw unexpectedAnswer(
			`The service sent ${list.length} licenses in one answer. This node reads at most ${MOST_RECORDS} an answer.`,
		);
	}
	return list.map((value, index) => {
		const license = toLicense(value);
		if (license) return license;
		throw unexpectedAnswer(
			`Record ${index + 1} of ${list.length} should be a license, but ${describeRecord(value)}.`,
		);
	});
}

/** For an answer without what `data` should be. */
export function notInData(what: string, body: unknown): Failure {
	const data = isObject(body) ? body.data : undefined;
	return unexpectedAnswer(
		data === undefined
			? `The answer should be an object with ${what} in 'data', but is ${describeValue(body)}.`
			: `In the answer, 'data' should be ${what}, but ${describeRecord(data)}.`,
	);
}

function describeRecord(value: unknown): string {
	const words = describeValue(value);
	if (!isObject(value)) return `is ${words}`;
	if (isForeign(value)) return `is in a format that this node does not support: ${words}`;
	// It has all the fields of a license.
	const isNameless = 'licenseNumber' in value && !hasName(value);
	return isNameless ? "has neither an 'id' nor a 'licenseNumber'" : `is ${words}`;
}

/** A license as it is, or wrapped in `license` as in deliveries; undefined where the value is none. */
export function toLicense(value: unknown): License | undefined {
	if (!isObject(value)) return undefined;
	if (!hasName(value)) return isObject(value.license) ? toLicense(value.license) : undefined;
	return isForeign(value) ? undefined : value;
}

/** Fields may be missing and unknown ones may be there, but a license in other words alone is none. */
const isForeign = (value: License): boolean =>
	!LICENSE_FIELDS.some((field) => Object.hasOwn(value, field)) &&
	Object.keys(value).some((field) => IN_OTHER_WORDS.has(plain(field)));

/** Nothing can be fetched, remembered or told apart without one of them. */
const hasName = ({ id, licenseNumber }: License): boolean => isName(id) || isName(licenseNumber);

const isName = (value: unknown): boolean =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
