import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { urlToHttpOptions } from 'node:url';

/**
 * Preloaded into n8n: what its nodes would send over https to other companies' services, whose addresses are
 * fixed, goes to OUTSIDE_WORLD instead. The `host` header still says who it was meant for.
 */
const { protocol, hostname, port } = new URL(process.env.OUTSIDE_WORLD ?? '');

type Callback = (response: http.IncomingMessage) => void;
type Given = Array<string | URL | https.RequestOptions | Callback | undefined>;

function optionsOf(one: Given[number]): https.RequestOptions {
	if (typeof one === 'string' || one instanceof URL) return urlToHttpOptions(new URL(one));
	return typeof one === 'object' ? one : {};
}

https.request = function divert(...given: Given): http.ClientRequest {
	const options = given.map(optionsOf).reduce((all, one) => ({ ...all, ...one }), {});
	const answered = given.find((one) => typeof one === 'function');
	// A Host header from the caller would be sent in addition to this one.
	const { Host: _, ...headers } = (options.headers ?? {}) as http.OutgoingHttpHeaders;
	return http.request(
		{
			...options,
			...{ protocol, hostname, host: hostname, port, agent: false },
			...{ createConnection: undefined, lookup: undefined },
			headers: { ...headers, host: options.hostname ?? options.host ?? '' },
		},
		answered,
	);
} as typeof https.request;
https.get = ((...given: Parameters<typeof https.get>) =>
	https.request(...given).end()) as typeof https.get;
syncBuiltinESMExports();
