/** An answer with the interface's Error body. Only `not_found` is a documented type. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		readonly type: string,
		message: string,
		readonly headers: Record<string, string> = {},
	) {
		super(message);
	}

	get body(): { error: { type: string; message: string } } {
		return { error: { type: this.type, message: this.message } };
	}
}

export const invalidRequest = (message: string): ServiceError =>
	new ServiceError(400, 'invalid_request', message);

export const invalidCursor = (): ServiceError =>
	new ServiceError(
		400,
		'invalid_cursor',
		"The value of 'cursor' is not accepted. Take it from 'pagination.cursor' of the previous page, with the same filters, or start again without it.",
	);

export const notFound = (message: string): ServiceError =>
	new ServiceError(404, 'not_found', message);
