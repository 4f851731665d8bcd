import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

import { MAX_COMPARED, plain } from '../../nodes/LicensingData/licenses/text.ts';
import { nameSimilarity } from '../../nodes/LicensingData/match/names.ts';
import { streetOf } from '../../nodes/LicensingData/match/street.ts';

it('Nothing that a service sends fills or blocks a process with a heap of 512 MB', async () => {
	const script = fileURLToPath(new URL('bounds-process.mts', import.meta.url));
	const options = ['--max-old-space-size=512', '--import', 'tsx'];
	const { stdout } = await execa(process.execPath, [...options, script]);
	const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
	const outcomes = lines.map((line) => JSON.parse(line) as { what: string; isHeld: boolean });
	expect(outcomes).toHaveLength(3);
	expect(outcomes.filter(({ isHeld }) => !isHeld)).toEqual([]);
});

it('Of a name or a street, no more is compared than any business has', () => {
	expect(plain('ﷺ'.repeat(MAX_COMPARED))).toHaveLength(200);
	expect(nameSimilarity('Ay/Bee/Cee/Dee/Pelican', 'Pelican')).toBeLessThan(0.7);
	const late = `${' '.repeat(MAX_COMPARED)}100 Bay St`;
	expect(streetOf({ street: late })?.numbers).toEqual([]);
});
