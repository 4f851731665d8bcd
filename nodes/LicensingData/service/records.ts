import { describeValue, isObject, unexpectedAnswer } from './answer';
import {
	FINDINGS,
	LARGEST_RECORD,
	type License,
	licenseKey,
	LONGEST_ID,
} from '../licenses/license';
import type { Failure } from '../licenses/failure';
import { textOf } from '../licenses/text';

interface Records {
	licenses: License[];
	/** What is wrong with the first of the others. */
	unreadable?: string;
}

/** Sorts out what is no license: it would come out as an item of nulls. */
export function toLicenses(list: unknown[]): Records {
	const found: Records = { licenses: [] };
	list.forEach((value, index) => {
		const fault = faultOf(value);
		if (fault === undefined) found.licenses.push(value as License);
		else {
			const name = isObject(value) ? licenseKey(value) : undefined;
			const record = `Record ${index + 1} of ${list.length}${name ? ` (${name})` : ''}`;
			found.unreadable ??= `${record} should be a license, but ${fault}.`;
		}
	});
	return found;
}

/** For an answer whose `data` is not what it should be. */
export function notInData(what: string, body: unknown): Failure {
	return unexpectedAnswer(
		isObject(body)
			? `In the answer, 'data' should be ${what}, but ${faultOf(body.data) ?? 'is an object'}.`
			: `The answer should be an object with ${what} in 'data', but is ${describeValue(body)}.`,
	);
}

/**
 * Why a value is no license; undefined for one. A text that is too long to be an ID is none, and goes; so does what
 * would pass for a finding of the node.
 */
export function faultOf(value: unknown): string | undefined {
	if (!isObject(value)) return `is ${describeValue(value)}`;
	for (const name of ['id', 'licenseNumber'])
		if (textOf(value[name]).length > LONGEST_ID) Reflect.deleteProperty(value, name);
	for (const name of FINDINGS) Reflect.deleteProperty(value, name);
	const { businessName, licenseType, status, address } = value;
	const saysMore = [businessName, licenseType, status, ...Object.values(address ?? {})].some(
		textOf,
	);
	if (licenseKey(value) === undefined)
		return saysMore ? "has neither an 'id' nor a 'licenseNumber'" : `is ${describeValue(value)}`;
	if (!saysMore) return 'has no name, type, status or address';
	return JSON.stringify(value).length > LARGEST_RECORD
		? `is larger than ${LARGEST_RECORD / 1000} KB`
		: undefined;
}
