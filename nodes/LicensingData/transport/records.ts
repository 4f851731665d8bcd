import { describeValue, isObject } from './answer';
import { licenseName } from '../domain/eventIdentity';
import type { Failure } from '../domain/failure';
import { unexpectedAnswer } from '../domain/failure';
import type { License } from '../domain/license';

/** The interface allows fifty; more are accepted, within reason. */
const MOST_RECORDS = 1_000;

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
	// It looks like a license, but nothing identifies it.
	const isNameless = 'licenseNumber' in value && !hasName(value);
	return isNameless ? "has neither an 'id' nor a 'licenseNumber'" : `is ${words}`;
}

/** A license as it is, or wrapped in `license` as in deliveries; undefined if the value is not one. */
export function toLicense(value: unknown): License | undefined {
	if (!isObject(value)) return undefined;
	if (!hasName(value)) return isObject(value.license) ? toLicense(value.license) : undefined;
	return value;
}

/** Without one of them, a license cannot be fetched, remembered or told from others. */
const hasName = (record: License): boolean => licenseName(record) !== undefined;
