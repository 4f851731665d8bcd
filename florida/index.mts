/**
 * Florida's own files as a source, over the interface of server/:
 *
 *   const florida = await startFlorida({ data, files, say });
 *   florida.baseUrl, florida.key     what a user enters
 *   await florida.close()
 */
import { startServer } from '../server/server.mts';
import { FloridaRegister } from './register.mts';
import { Service, type ServiceOptions } from './service.mts';
import { pageOf, statusOf } from './status.mts';

export interface FloridaOptions extends ServiceOptions {
	port?: number;
	host?: string | undefined;
	names?: readonly string[];
	/** How often it looks whether there is something to do. */
	lookEvery?: number;
}

export async function startFlorida(options: FloridaOptions) {
	const { port = 0, host, names = [], lookEvery = 60_000, say } = options;
	const service = await Service.open(options);
	const register = new FloridaRegister(service.memory);
	const key = await service.key();
	const status = () => statusOf(service.memory, service.activity);
	const server = await startServer({
		...{ port, names, accounts: [{ name: 'own', key, register }] },
		...(host !== undefined && { host }),
		extend: (fastify) => {
			fastify.get('/status', async () => status());
			fastify.get('/', async (_, reply) => {
				void reply.header(
					'Content-Security-Policy',
					"default-src 'none'; style-src 'unsafe-inline'",
				);
				return await reply.type('text/html; charset=utf-8').send(pageOf(status()));
			});
		},
	}).catch(async (error: Error) => {
		await service.close();
		throw error;
	});
	let isOpen = true;
	const watch = async (): Promise<void> => {
		while (isOpen) {
			const hasFailed = await update(service, register, say);
			const pause = hasFailed ? lookEvery * 10 : lookEvery;
			await new Promise<void>((resolve) => setTimeout(resolve, pause).unref());
		}
	};
	void watch();
	return {
		...{ key, register, service, origin: server.origin, baseUrl: server.baseUrl },
		close: async () => {
			isOpen = false;
			await server.close();
			await service.close();
		},
	};
}

/** Whether it failed. What was known is served all the same. */
async function update(
	service: Service,
	register: FloridaRegister,
	say: (line: string) => void,
): Promise<boolean> {
	const { failure } = service.activity;
	try {
		if (await service.update()) register.update();
		return false;
	} catch (error) {
		const { message } = error as Error;
		if (message !== failure)
			say(`The files could not be taken in, and what was known is served: ${message}`);
		return true;
	}
}
