import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

/** Without spaces around it. Empty for a slip, and for what a page shows in the place of a secret. */
export function usableSecret(given: unknown): string {
	const secret = typeof given === 'string' ? given.trim() : '';
	const isWhole = secret.length >= 16 && secret.length <= 1_000;
	return isWhole && !/[*•●…]|(.)\1{7}/u.test(secret) ? secret : '';
}

/** Only a delivery shows whether it is the right one. */
export async function testLicensingDataWebhookApi(
	this: ICredentialTestFunctions,
	{ data }: { data?: { webhookSecret?: unknown } },
): Promise<INodeCredentialTestResult> {
	return usableSecret(data?.webhookSecret) === ''
		? { status: 'Error', message: 'This is not a whole secret. Copy it from the service again.' }
		: { status: 'OK', message: 'The first delivery shows whether it is the right one' };
}
