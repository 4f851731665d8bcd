import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Preloaded into n8n: what its nodes would send over https to other companies' services, whose addresses are
 * fixed, goes to OUTSIDE_WORLD instead. The `host` header still says who it was meant for.
 */
const world = new URL(process.env.OUTSIDE_WORLD ?? '');

https.request = function divert(
	...given: [string | URL | https.RequestOptions, ...unknown[]]
): http.ClientRequest {
	const [first, ...rest] = given;
	const address = typeof first === 'string' ? new URL(first) : first;
	const fromUrl = address instanceof URL ? urlOptions(address) : address;
	const more = rest.find((one) => typeof one === 'object') as https.RequestOptions | undefined;
	const options = { ...fromUrl, ...more };
	const answered = rest.find((one) => typeof one === 'function') as
		| ((response: http.IncomingMessage) => void)
		| undefined;
	return http.request(
		{
			...options,
			headers: { ...headersOf(options), host: options.hostname ?? options.host ?? '' },
			protocol: world.protocol,
			hostname: world.hostname,
			host: world.hostname,
			port: world.port,
			agent: false,
			createConnection: undefined,
			lookup: undefined,
		},
		answered,
	);
} as typeof https.request;
https.get = ((...given: Parameters<typeof https.get>) =>
	https.request(...given).end()) as typeof https.get;
syncBuiltinESMExports();

const urlOptions = ({ hostname, pathname, search }: URL) => ({
	hostname,
	path: pathname + search,
});

/** A Host header from the caller would be sent in addition to the one set here. */
function headersOf({ headers = {} }: https.RequestOptions): http.OutgoingHttpHeaders {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'),
	) as http.OutgoingHttpHeaders;
}
