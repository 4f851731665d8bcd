import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { isDay } from './days.mts';
import { SOURCES } from './sources.mts';

const names = SOURCES.map(({ name }) => name);

export const usage = `npm run florida -- [options]

  --files <folder>      take the state's files from this folder, and ask nobody
  --data <folder>       where everything is remembered (.florida)
  --sources <names>     with commas between: ${names.slice(0, 3).join(', ')} … (with --files: those in the folder; else all)
  --contact <address>   your e-mail or web address: whom the state may write to
  --hour <number>       fetch once a day from this hour on, 0 to 23 (7)
  --port <number>       where to listen (4020)
  --host <address>      listen there instead of on this machine alone, such as 0.0.0.0 in a container
  --name <name>         a name by which it may be asked then; may be given several times
  --once                read the files, and end
  --day <date>          the day of the files, such as 2026-01-31, instead of the time of each
  --json                with --once: print what was found as JSON
  --accept <sources>    take the endings and changes of holder that were held
  --report              print counts alone, to share
  --forget              remove all that is remembered
  --help                this text
`;

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]) {
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean', default: false } as const;
	const { values } = parseArgs({
		args,
		options: {
			...{ files: text, sources: text, contact: text, host: text, day: text, accept: text },
			...{ data: { ...text, default: '.florida' }, name: { ...text, multiple: true } },
			...{ hour: { ...text, default: '7' }, port: { ...text, default: '4020' } },
			...{ once: flag, json: flag, report: flag, forget: flag, help: flag },
		},
	});
	const { day, contact = '', files, host, name = [] } = values;
	if (files !== undefined && !existsSync(files)) throw new Error(`There is no folder ${files}`);
	if (day !== undefined && !isDay(day)) throw new Error('--day takes a date, such as 2026-01-31');
	if (!/^[\x20-\x7e]*$/.test(contact)) throw new Error('--contact takes an e-mail or web address');
	return {
		...values,
		hour: whole('hour', values.hour, 23),
		port: whole('port', values.port, 65_535),
		sources: sourcesFrom('sources', values.sources),
		accept: sourcesFrom('accept', values.accept) ?? [],
		names: host === undefined ? name : [...name, host],
	};
}

function whole(name: string, given: string, most: number): number {
	if (/^\d+$/.test(given) && Number(given) <= most) return Number(given);
	throw new Error(`--${name} takes a whole number from 0 to ${most}`);
}

function sourcesFrom(option: string, given: string | undefined): string[] | undefined {
	const asked = given?.split(',').map((name) => name.trim().toLowerCase());
	const unknown = asked?.find((name) => !names.includes(name));
	if (unknown === undefined) return asked;
	throw new Error(`--${option} takes ${names.join(', ')}; there is no '${unknown}'`);
}
