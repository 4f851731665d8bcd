/** An answer with an error's body. Only `not_found` is a documented type. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		readonly type: string,
		message: string,
		readonly headers: Record<string, string> = {},
	) {
		super(message);
	}
}

export const invalidRequest = (message: string): ServiceError =>
	new ServiceError(400, 'invalid_request', message);

export const notFound = (message: string): ServiceError =>
	new ServiceError(404, 'not_found', message);

export const forbidden = (message: string): ServiceError =>
	new ServiceError(403, 'forbidden', message);
