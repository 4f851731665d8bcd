/**
 * How many leads what `npm run florida` remembers holds, in counts: `npx tsx bench/leads.mts [folder] [county …]`.
 * A lead is a new filing or an ownership transfer. This is the food half of "Leads a month" in RESULTS.md, of which the
 * liquor half is `npm run florida -- --report`.
 */
import { Memory } from '../florida/memory.mts';
import { table } from './table.mts';

const [folder = '.florida', ...counties] = process.argv.slice(2);
const { snapshot } = await Memory.open(folder);
const licenses = [...snapshot.licenses.values()];
const leads = licenses.filter(
	({ event }) => event === 'new_filing' || event === 'ownership_transfer',
);
const days = leads.map(({ at }) => at!).sort();

const row = (name: string, some: typeof leads) => {
	const phones = some.filter(({ phone }) => phone !== null).length;
	const of = (event: string) => some.filter((one) => one.event === event).length;
	const share = some.length === 0 ? '–' : `${Math.round((100 * phones) / some.length)}%`;
	return [name, of('new_filing'), of('ownership_transfer'), phones, share];
};
const types = [...new Set(licenses.map(({ type }) => type))].sort();
console.log(`Leads dated ${days[0]} to ${days.at(-1)}, among ${licenses.length} licenses\n`);
console.log(
	table(
		['leads', 'new filings', 'ownership transfers', 'with a phone', 'share'],
		[
			row('all', leads),
			...types.map((type) =>
				row(
					type,
					leads.filter((one) => one.type === type),
				),
			),
			...counties.map((name) =>
				row(
					name,
					leads.filter(({ county }) => county === name),
				),
			),
		],
	),
);
