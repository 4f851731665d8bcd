import type { Call } from './world.mts';

let created = 0;

export function answerAsPipedrive({ method, path, body }: Call): unknown {
	if (method !== 'POST') return undefined;
	const kinds: Record<string, () => string | number> = {
		'/api/v2/organizations': () => ++created,
		'/v1/leads': () => `lead-${++created}`,
		'/v1/notes': () => ++created,
	};
	const id = kinds[path]?.();
	return id && { success: true, data: { id, ...(body as object) } };
}
