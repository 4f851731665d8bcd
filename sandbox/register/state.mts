import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Shapes } from '../shapes.mts';
import { Register, type RegisterOptions } from './register.mts';

type State = Required<Pick<RegisterOptions, 'seed' | 'records' | 'today' | 'history'>>;

/** A register that goes on where it was when it is started again: it repeats its lists, and what was planted. */
export function registerKeptIn(file: string, options: RegisterOptions, shapes: Shapes): Register {
	const { seed = 1, records = 1000 } = options;
	const kept = stateIn(file);
	const isSame = kept.seed === seed && kept.records === records && kept.history;
	const register = new Register({ ...options, ...(isSame ? kept : {}) }, shapes);
	const save = (): void => {
		const { begin: today, history } = register;
		const state: State = { seed, records, today, history };
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `${JSON.stringify(state)}\n`);
	};
	register.onRefresh(save);
	save();
	return register;
}

function stateIn(file: string): Partial<State> {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as State;
	} catch {
		// The first start, or a file that was cut off: it begins anew.
		return {};
	}
}
