import { parseArgs } from 'node:util';

import { exported } from './export.mts';
import { getMany } from './get-many.mts';
import { match } from './match.mts';
import { polling } from './polling.mts';
import { writeSection } from './resultsFile.mts';
import type { Subject } from './subject.mts';

const subjects: Record<string, Subject> = {
	'get-many': getMany,
	match,
	polling,
	export: exported,
};

const usage = `npm run bench -- [options] [subject …]

Measures the nodes beside what one would pick instead, and writes bench/RESULTS.md.
Subjects: ${Object.keys(subjects).join(', ')}; all of them unless named.

  --quick   fewer records, waits and rounds: a few minutes; prints, and writes nothing
  --help    this text
`;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			quick: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		process.stdout.write(usage);
		return;
	}
	const unknown = positionals.filter((name) => !Object.hasOwn(subjects, name));
	if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}.\n\n${usage}`);
	const chosen = positionals.length > 0 ? positionals : Object.keys(subjects);

	for (const name of chosen) {
		const subject = subjects[name] as Subject;
		const progress = (line: string) => process.stderr.write(`${name}: ${line}\n`);
		const content = await subject.measure({ quick: values.quick, progress });
		process.stdout.write(`\n## ${subject.title}\n\n${content}\n\n`);
		if (!values.quick) await writeSection(subject.title, content);
	}
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
