import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { CREDENTIAL } from '../service/request';

/** The signing secret that the user entered, or an empty text. */
export async function enteredSecret(context: IHookFunctions | IWebhookFunctions): Promise<string> {
	const { webhookSecret } = await context.getCredentials(CREDENTIAL);
	const secret = typeof webhookSecret === 'string' ? webhookSecret.trim() : '';
	return isSecret(secret) ? secret : '';
}

const SHORTEST_SECRET = 16;

/** Not a slip, nor what a page shows in the place of a secret. */
export const isSecret = (text: string): boolean =>
	text.length >= SHORTEST_SECRET && !/[*•●…]|(.)\1{7}/u.test(text);
