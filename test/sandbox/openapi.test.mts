import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';

import { openApi } from '../../sandbox/contract.mts';
import { answerFault, opened } from './client.mts';

describe('openapi.yaml', () => {
	it('is valid OpenAPI 3.1 by a public validator', async () => {
		const validator = new Validator();
		const { valid, errors } = await validator.validate(structuredClone(openApi));
		expect(errors).toBeUndefined();
		expect(valid).toBe(true);
		expect(validator.version).toBe('3.1');
	});

	it('says so when an answer departs from it', async () => {
		const { register, client } = await opened({}, false);
		register.file({ id: 7 });
		const { status, body } = await client.list({ q: String(register.all()[0]!.businessName) });
		expect(answerFault('GET /licenses', status, body)).toBeUndefined();
		const whole = await client.list({ limit: 50, event_type: 'new_filing' });
		expect(answerFault('GET /licenses', status, whole.body)).toMatch(
			/\/data\/\d+\/id must be string/,
		);
	});
});
