import { MOST_AT_ONCE } from '../../nodes/LicensingData/transport/concurrency.ts';
import type { Way } from './ways.mts';

export interface Runner {
	way: Way;
	/** How many requests at once; if absent, Get Many finds out by itself. */
	parallel?: number;
}

const PARALLEL = [1, 4, 8];
export const HTTP_REQUEST: Runner = { way: 'HTTP Request and Split Out', parallel: 1 };
const LOOP: Runner = { way: 'fetch loop', parallel: 1 };
export const RUNNERS: Runner[] = [
	{ way: 'Get Many' },
	...PARALLEL.map((parallel): Runner => ({ way: 'Get Many', parallel })),
	HTTP_REQUEST,
	LOOP,
	...PARALLEL.slice(1).map((parallel): Runner => ({ way: 'limit', parallel })),
	{ way: 'limit in n8n', parallel: MOST_AT_ONCE },
];

const NAMES: Record<Way, (parallel?: number) => string> = {
	'Get Many': (parallel) =>
		parallel === undefined ? 'Get Many, as it is' : `Get Many, 'Parallel Requests' ${parallel}`,
	'HTTP Request and Split Out': () => "n8n's HTTP Request, then Split Out",
	'fetch loop': () => 'plain `fetch` loop',
	limit: (parallel) => `limit: ${parallel} such loops, pages shared out`,
	'limit in n8n': (parallel) => `limit in n8n: ${parallel} loops with its request helper`,
};
export const nameOf = ({ way, parallel }: Runner): string => NAMES[way](parallel);

export const script = new URL('process.mts', import.meta.url);
