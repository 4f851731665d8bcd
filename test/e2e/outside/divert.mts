import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Preloaded into n8n: what its nodes would send over https to other companies' services, whose addresses are
 * fixed, goes to OUTSIDE_WORLD instead. The `host` header still says who it was meant for.
 */
const { protocol, hostname, port } = new URL(process.env.OUTSIDE_WORLD ?? '');

type Answered = (response: http.IncomingMessage) => void;

https.request = ((options: https.RequestOptions, answered?: Answered) => {
	// A Host header from the caller would be sent in addition to this one.
	const { Host: _, ...headers } = options.headers as http.OutgoingHttpHeaders;
	return http.request(
		{
			...options,
			...{ protocol, hostname, host: hostname, port, agent: false },
			...{ createConnection: undefined, lookup: undefined },
			headers: { ...headers, host: options.hostname ?? options.host ?? '' },
		},
		answered,
	);
}) as typeof https.request;
syncBuiltinESMExports();
