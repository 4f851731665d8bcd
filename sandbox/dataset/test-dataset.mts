import type { Dataset } from './dataset.mts';
import { generatedDataset } from './generation.mts';

const TEST_SEED = 2026;
const TEST_RECORDS = 500;
const TEST_UNTIL = Date.parse('2026-09-01T00:00:00Z');

let shared: Dataset | undefined;

/** What a test key answers from: the same records on every call and every machine. */
export const testDataset = (): Dataset =>
	(shared ??= generatedDataset(TEST_SEED, TEST_RECORDS, TEST_UNTIL));
