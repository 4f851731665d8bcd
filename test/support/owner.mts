import type { Owner } from '../../playground/client.mts';

/** Who owns every n8n that a test starts. */
export const owner: Owner = {
	email: 'tester@playground.example',
	password: 'Playground1',
	firstName: 'Test',
	lastName: 'Tester',
};
