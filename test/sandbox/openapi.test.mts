import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';

import { openApi } from '../../sandbox/contract.mts';
import { started } from './client.mts';

describe('openapi.yaml', () => {
	it('is valid OpenAPI 3.1 by a public validator', async () => {
		const validator = new Validator();
		const { valid, errors } = await validator.validate(structuredClone(openApi));
		expect(errors).toBeUndefined();
		expect(valid).toBe(true);
		expect(validator.version).toBe('3.1');
	});

	it('says so when an answer departs from it', async () => {
		const { sandbox, client } = await started();
		sandbox.live.insert({ businessName: null });
		const { status, body } = await client.fault('/licenses');
		expect(status).toBe(500);
		expect(body.error.message).toContain('/data/0/businessName must be string');
	});
});
