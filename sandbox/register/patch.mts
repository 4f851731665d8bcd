import type { Address, License } from '../../server/license.mts';

/**
 * What a caller may plant: any JSON value in any field, even in those that the interface does not name.
 * Undefined leaves a field out.
 */
export type LicensePatch = { [Field in keyof License]?: unknown } & {
	[unknownField: string]: unknown;
};

/** Tells whether something planted as an address has parts, as an address should. */
export const isAddress = (value: unknown): value is { [Part in keyof Address]?: unknown } =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
