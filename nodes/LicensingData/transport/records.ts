import { describeValue, isObject } from './answer';
import type { Failure } from '../domain/failure';
import { unexpectedAnswer } from '../domain/failure';
import type { License } from '../domain/license';

/** The interface allows fifty; more are accepted, within reason. */
const MOST_RECORDS = 1_000;

/** Fields that only a license has: anything may have an `id`, a `status` or an `address`. */
const LICENSE_FIELDS = [
	...['licenseNumber', 'licenseType', 'businessName', 'legalName', 'dbaName', 'filedDate'],
	...['effectiveDate', 'eventType', 'eventTimestamp', 'sourceUrl'],
];

const plain = (field: string): string => field.replace(/[\s_-]/g, '').toLowerCase();
/** A license's fields in another spelling, or (JSON:API) the object that holds them. */
const IN_OTHER_WORDS = new Set([...LICENSE_FIELDS.map(plain), 'attributes']);

/** Anything but a license would come out as an item of nulls, so the refusal says what it is. */
export function toLicenses(list: unknown[]): License[] {
	if (list.length > MOST_RECORDS) {
		throw unexpectedAnswer(
			`The service sent ${list.length} licenses in one answer. This node reads at most ${MOST_RECORDS} per answer.`,
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

/** For an answer whose `data` is not what it should be. */
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
	// It looks like a license, but nothing identifies it.
	const isNameless = 'licenseNumber' in value && !hasName(value);
	return isNameless ? "has neither an 'id' nor a 'licenseNumber'" : `is ${words}`;
}

/** A license as it is, or wrapped in `license` as in deliveries; undefined if the value is not one. */
export function toLicense(value: unknown): License | undefined {
	if (!isObject(value)) return undefined;
	if (!hasName(value)) return isObject(value.license) ? toLicense(value.license) : undefined;
	return isForeign(value) ? undefined : value;
}

/** Fields may be missing or unknown, but a record with a license's fields only under other names is not one. */
const isForeign = (value: License): boolean =>
	!LICENSE_FIELDS.some((field) => Object.hasOwn(value, field)) &&
	Object.keys(value).some((field) => IN_OTHER_WORDS.has(plain(field)));

/** Without one of them, a license cannot be fetched, remembered or told from others. */
const hasName = ({ id, licenseNumber }: License): boolean => isName(id) || isName(licenseNumber);

const isName = (value: unknown): boolean =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
