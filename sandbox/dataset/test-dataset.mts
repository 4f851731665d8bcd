import type { Shapes } from '../shapes.mts';
import type { Dataset } from './dataset.mts';
import { generatedDataset } from './generation.mts';

const TEST_SEED = 2026;
const TEST_RECORDS = 500;
const TEST_UNTIL = Date.parse('2026-09-01T00:00:00Z');

/** What a test key answers from: the same records on every call and every machine. */
export const testDataset = (shapes?: Shapes): Dataset =>
	generatedDataset(TEST_SEED, TEST_RECORDS, TEST_UNTIL, shapes);
