import type { RequestListener } from 'node:http';

import type { Exchange } from '../../probe/recorder.mts';
import { API_KEY } from './answers.mts';

type Asked = Pick<Exchange, 'path' | 'query' | 'isKeyKnown'>;

const keyOf = ({ path, query, isKeyKnown }: Asked, without = ''): string =>
	JSON.stringify([
		path,
		isKeyKnown,
		...Object.entries(query)
			.filter(([name]) => name !== without)
			.map(([name, value]) => `${name}=${value}`)
			.sort(),
	]);

/**
 * A service that answers as a recorded one did, in turn, and then as it did last. A list that was asked for with
 * another limit counts: a service may send fewer records than were asked for.
 */
export function replay(exchanges: Exchange[]): RequestListener {
	const left = [...exchanges];
	const answerTo = (asked: Asked): Exchange | undefined => {
		const isSame = (one: Asked) => keyOf(one) === keyOf(asked);
		const next = left.findIndex(isSame);
		if (next >= 0) return left.splice(next, 1)[0];
		const isSameList = (one: Asked) => keyOf(one, 'limit') === keyOf(asked, 'limit');
		return exchanges.findLast(isSame) ?? exchanges.findLast(isSameList);
	};
	return ({ url = '', headers: { authorization } }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
		const answer = answerTo({
			path: pathname.replace(/^\/v1/, ''),
			query: Object.fromEntries(searchParams),
			isKeyKnown: authorization === `Bearer ${API_KEY}`,
		});
		const { status, headers, body } = answer ?? { status: 501, headers: {}, body: { url } };
		response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
	};
}
