import { createHmac } from 'node:crypto';
import type { License } from '../../sandbox/index.mts';

export const SECRET = 'whsec_secret_example';

export const sign = (body: string, secret = SECRET): string =>
	createHmac('sha256', secret).update(body).digest('hex');

/** Posts a delivery as the service would, signed unless the headers say something else. */
export async function post(url: string, body: string, headers: Record<string, string> = {}) {
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-service-signature': sign(body),
			...headers,
		},
		body,
	});
	return { status: response.status, body: await response.text() };
}

/** Sixty deliveries of sixty events, this many of them at the same moment. */
export async function deliverSixty(
	urlOf: (delivery: number) => string,
	[license]: License[],
	atOnce = 5,
) {
	const answers: number[] = [];
	for (let next = 0; next < 60; next += atOnce) {
		const some = Array.from({ length: atOnce }, async (_, index) => {
			const data = { ...license, id: `lic_replayed_${next + index}` };
			return (await post(urlOf(next + index), JSON.stringify({ data }))).status;
		});
		answers.push(...(await Promise.all(some)));
	}
	return answers;
}
