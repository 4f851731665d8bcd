/** A number, which users and some services write as text; NaN for anything else. */
export const numberOf = (value: unknown): number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
		? Number(value)
		: Number.NaN;
