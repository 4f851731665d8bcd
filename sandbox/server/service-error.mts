/** An answer with an error's body. Only `not_found` is a documented type. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		readonly type: string,
		message: string,
		readonly headers: Record<string, string> = {},
		readonly param?: string,
	) {
		super(message);
	}
}

export const invalidRequest = (message: string, status = 400, param?: string): ServiceError =>
	new ServiceError(status, 'invalid_request', message, {}, param);

export const invalidCursor = (status = 400): ServiceError =>
	new ServiceError(
		status,
		status === 404 ? 'not_found' : 'invalid_cursor',
		"The value of 'cursor' is not accepted. Take it from 'pagination.cursor' of the previous page, with the same filters, or start again without it.",
		{},
		'cursor',
	);

export const notFound = (message: string): ServiceError =>
	new ServiceError(404, 'not_found', message);

export const forbidden = (message: string): ServiceError =>
	new ServiceError(403, 'forbidden', message);
