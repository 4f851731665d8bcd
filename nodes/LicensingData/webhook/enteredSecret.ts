import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { CREDENTIAL } from '../transport/request';

/** The signing secret that the user entered, or an empty text. */
export async function enteredSecret(context: IHookFunctions | IWebhookFunctions): Promise<string> {
	const { webhookSecret } = await context.getCredentials(CREDENTIAL);
	return typeof webhookSecret === 'string' ? webhookSecret.trim() : '';
}
