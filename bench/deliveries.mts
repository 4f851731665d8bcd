import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { Bench } from 'tinybench';

import { license } from '../test/support/records.mts';
import { unpackPackage } from './n8n/package.mts';
import type { Subject } from './subject.mts';
import { count, table } from './table.mts';

interface Room {
	isSigned(body: Buffer, header: unknown, secret: string): boolean;
	readDelivery(body: Buffer): unknown;
}

const SECRET = 'whsec_example';

export const deliveries: Subject = {
	title: 'Verifying deliveries',
	async measure({ quick, progress }) {
		const room = load(await unpackPackage());
		const bench = new Bench({ time: quick ? 300 : 1500 });
		const sizes = { 'a license': 0, 'a license with 100 KB of more fields': 100_000 };
		for (const [name, more] of Object.entries(sizes)) {
			const data = license(more > 0 ? { notes: 'x'.repeat(more) } : {});
			const body = Buffer.from(JSON.stringify({ type: data.eventType, data }));
			const digest = createHmac('sha256', SECRET).update(body).digest('hex');
			const forged = createHmac('sha256', 'whsec_other_example').update(body).digest('hex');
			check(room.isSigned(body, digest, SECRET) && !room.isSigned(body, forged, SECRET));
			check(room.readDelivery(body) !== undefined);
			bench
				.add(`${name}: verified and read`, () => {
					if (room.isSigned(body, digest, SECRET)) room.readDelivery(body);
				})
				.add(`${name}: forged, turned away`, () => room.isSigned(body, forged, SECRET));
		}
		await bench.run();
		progress('done');
		const rows = bench.tasks.map(({ name, result }) => {
			if (!result || result.error) throw new Error(`${name} could not be measured`);
			const { p50 = Number.NaN, p99 = Number.NaN } = result.latency;
			const microseconds = (milliseconds: number) => `${(milliseconds * 1000).toFixed(1)} µs`;
			return [name, microseconds(p50), microseconds(p99), count(Math.round(1000 / p50))];
		});
		return [
			'The signature over the bytes, and the record that stands in them.',
			table(['delivery', 'median', '99 %', 'a second'], rows),
		].join('\n\n');
	},
};

function load(folder: string): Room {
	const require = createRequire(join(folder, 'package.json'));
	const from = (file: string) =>
		require(`./dist/nodes/LicensingData/webhook/${file}.js`) as Partial<Room>;
	return { ...from('signature'), ...from('delivery') } as Room;
}

function check(holds: boolean): void {
	if (!holds) throw new Error('What is to be measured does not work');
}
