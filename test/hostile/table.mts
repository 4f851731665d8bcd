import type { Reporter, TestCase, TestModule } from 'vitest/node';

interface Row {
	tried: number;
	gotThrough: number;
}

/** Adds up what was tried, by kind: a kind is a group of tests. */
export class Table implements Reporter {
	private readonly rows = new Map<string, Row>();

	onTestRunEnd(modules: readonly TestModule[]): void {
		for (const module of modules) {
			for (const test of module.children.allTests()) this.add(test);
			for (const error of module.errors()) console.error(error.message);
		}
		const total = { tried: 0, gotThrough: 0 };
		for (const row of this.rows.values()) {
			total.tried += row.tried;
			total.gotThrough += row.gotThrough;
		}
		console.table(Object.fromEntries([...this.rows, ['Together', total]]));
	}

	private add(test: TestCase): void {
		const kind = test.parent.type === 'suite' ? test.parent.name : test.name;
		const row = this.rows.get(kind) ?? { tried: 0, gotThrough: 0 };
		this.rows.set(kind, row);
		row.tried += test.meta().tried ?? 1;
		const { state, errors } = test.result();
		if (state === 'passed') return;
		row.gotThrough++;
		console.error(`${test.fullName}: ${errors?.[0]?.message ?? state}`);
	}
}
