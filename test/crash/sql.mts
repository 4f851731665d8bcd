/** Answers SQL from a database of n8n, in a process of n8n's own Node.js. */
import { createRequire } from 'node:module';

interface DataSource {
	initialize(): Promise<DataSource>;
	query(sql: string): Promise<unknown>;
}

const [, , n8n = ''] = process.argv;
const { DataSource } = createRequire(n8n)('@n8n/typeorm') as {
	DataSource: new (options: object) => DataSource;
};
const opening = new DataSource(JSON.parse(process.env.DATABASE ?? '') as object).initialize();
process.on('message', async (sql: string) => {
	const answer = opening.then(async (source) => ({ rows: await source.query(sql) }));
	process.send?.(await answer.catch((error: Error) => ({ error: error.message })));
});
process.on('disconnect', () => process.exit());
