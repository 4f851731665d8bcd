import { Failure } from '../licenses/failure';

const hasStatus = (error: unknown, ...statuses: number[]): error is Failure =>
	error instanceof Failure && statuses.includes(error.status ?? 0);

/** How a service may turn down a value that it does not know: a filter's, or a cursor that has grown old. */
export const isRejected = (error: unknown): error is Failure => hasStatus(error, 400, 404, 422);

/** What was asked for does not exist. */
export const isNotFound = (error: unknown): error is Failure => hasStatus(error, 404);

/** The service has no such operation. */
export const isNotOffered = (error: unknown): error is Failure => hasStatus(error, 404, 405, 501);
