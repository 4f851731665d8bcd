import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { type Send, serviceAt, whileUserWaits } from './client';
import { authorize, isTestKey, toConnection } from './credential';
import { toFailure } from './httpFailures';
import { readPage } from './listPages';
import { asLine } from './nodeError';
import { redactorFor } from './redactor';

/** The credential's Test: requests a page with one license, and reads it as the nodes do. */
export async function testLicensingDataApi(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// A credential test has only n8n's older request function, which has other names for the same options.
	const { helpers } = this;
	const send: Send = async (request) => {
		const { url, ...options } = await authorize(data, request);
		const inFull = { useStream: true, simple: false, resolveWithFullResponse: true };
		return await helpers.request({ ...options, ...inFull, uri: url, followRedirect: false });
	};
	const { redact } = redactorFor(data.apiKey);
	const log = (line: string): void => this.logger.error(asLine(line, redact));
	let tried = '';
	try {
		const connection = toConnection(data);
		tried = ` n8n tried ${connection.baseUrl}/licenses.`;
		await readPage(serviceAt(connection, send, whileUserWaits(0), log), { limit: 1 });
		const about = isTestKey(connection.apiKey)
			? '. This is a test key: it usually returns the same made-up licenses each time.'
			: '!';
		return { status: 'OK', message: `Connection successful${about}` };
	} catch (error) {
		const { message, description, facts } = toFailure(error, log);
		const isAboutAddress = facts.status === undefined || facts.status === 404;
		const words = `${message}. ${description}${isAboutAddress ? tried : ''}`;
		return { status: 'Error', message: asLine(words, redact) };
	}
}
