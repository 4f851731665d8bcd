import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { toFailure } from './answer';
import { serviceAt, type Send } from './client';
import { authorize, isTestKey, redactorFor, toConnection } from './connection';
import { orThrow, readPage } from './list';
import { asLine } from './nodeError';

const WHILE_USER_WAITS = { retries: 0, timeout: 10_000 };

/** The credential's Test: requests a page with one license, and reads it as the nodes do. */
export async function testLicensingDataApi(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	let tried = '';
	try {
		const connection = toConnection(data);
		tried = ` n8n tried ${connection.baseUrl}/licenses.`;
		const service = serviceAt(connection, sender(this, data), WHILE_USER_WAITS);
		orThrow(await readPage(service, { limit: 1 }));
		return {
			status: 'OK',
			message: isTestKey(connection.apiKey)
				? 'Connection successful. This is a test key: it usually returns the same made-up licenses each time.'
				: 'Connection successful!',
		};
	} catch (error) {
		const { message, description, status } = toFailure(error);
		const { redact } = redactorFor(data.apiKey);
		const isAboutAddress = status === undefined || status === 404;
		const words = `${message}. ${description}${isAboutAddress ? tried : ''}`;
		return { status: 'Error', message: asLine(words, redact) };
	}
}

/** A credential test has only n8n's older request function, which has other names for the same options. */
function sender(
	{ helpers }: ICredentialTestFunctions,
	credentials: ICredentialDataDecryptedObject,
): Send {
	return async (request) => {
		const { url, ...options } = authorize(credentials, request);
		return (await helpers.request({
			...options,
			uri: url,
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
		})) as IN8nHttpFullResponse;
	};
}
