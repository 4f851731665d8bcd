import { createRequire } from 'node:module';
import { join } from 'node:path';

import { hash, randomSequence } from '../sandbox/register/random.mts';
import { seats } from '../sandbox/register/florida.mts';
import { createSandbox, type License, type Sandbox } from '../sandbox/index.mts';
import { unpackPackage } from './n8n/package.mts';
import type { Subject } from './subject.mts';
import { count, table } from './table.mts';

/** How somebody's own list spells a venue of the register, or one that the register lacks. */
interface Entry {
	kind: string;
	businessName: string;
	street?: string;
	city?: string;
	zip?: string;
	/** The right license; absent if the register has none. */
	id?: string;
}

interface Answer {
	id: string;
	matchScore: number;
}

interface MatchAction {
	readParameters(read: (name: string, fallback?: unknown) => unknown): unknown;
	run(
		service: Service,
		parameters: unknown,
		execution: { toItem: (license: unknown) => { json: unknown }; hint: () => void },
	): AsyncIterable<Array<{ json: Answer }>>;
}

type Service = (
	request: { path: string; query: Record<string, unknown> },
	read: (body: unknown, reveals: (text: string) => boolean) => unknown,
) => Promise<unknown>;

const RECORDS = 60_000;
const LOWEST = 0.5;
const DEFAULT = 0.8;
const CHAINS = ['Gator Subs', 'Burger Bayou', 'Manatee Wings', 'Crab Shack Express', 'Taco Lagoon'];

export const match: Subject = {
	title: 'Matching a list of businesses to licenses',
	async measure({ quick, progress }) {
		const action = load(await unpackPackage());
		return report(await askAll(action, quick ? 0.2 : 1, progress));
	},
};

interface Measured {
	asked: Array<{ entry: Entry; answer: Answer | undefined }>;
	requests: number;
}

async function askAll(
	action: MatchAction,
	share: number,
	progress: (line: string) => void,
): Promise<Measured> {
	const sandbox = await createSandbox({
		...{ records: RECORDS, seed: 7, rateLimits: 'off' },
		rates: { numberTwice: 0 },
	});
	try {
		const entries = makeEntries(sandbox, share);
		const asked: Measured['asked'] = [];
		sandbox.requests.reset();
		for (const entry of entries) {
			asked.push({ entry, answer: await ask(action, sandbox, entry) });
			if (asked.length % 100 === 0) progress(`${asked.length} of ${entries.length}`);
		}
		return { asked, requests: sandbox.requests.count };
	} finally {
		await sandbox.close();
	}
}

function load(folder: string): MatchAction {
	const require = createRequire(join(folder, 'package.json'));
	return (
		require('./dist/nodes/LicensingData/operations/match.operation.js') as { match: MatchAction }
	).match;
}

async function ask(
	{ readParameters, run }: MatchAction,
	{ baseUrl, keys }: Sandbox,
	entry: Entry,
): Promise<Answer | undefined> {
	const service: Service = async ({ path, query }, read) => {
		const url = new URL(baseUrl + path);
		for (const [name, value] of Object.entries(query))
			if (value !== undefined) url.searchParams.set(name, String(value));
		const response = await fetch(url, { headers: { Authorization: `Bearer ${keys.live}` } });
		return read(await response.json(), () => false);
	};
	const parameters: Record<string, unknown> = { ...entry, minimumScore: LOWEST };
	const read = readParameters((name, fallback) => parameters[name] ?? fallback);
	const toItem = (license: unknown) => ({ json: license });
	for await (const [best] of run(service, read, { toItem, hint: () => {} })) return best?.json;
	return undefined;
}

function makeEntries({ register }: Sandbox, share: number): Entry[] {
	const random = randomSequence(11);
	const pick = <T,>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
	plantChains(register, pick);
	const withStreet = register
		.all()
		.filter(({ address, businessName }) => address?.street && /\w{5}/.test(businessName ?? ''));
	const taken = new Set<string>();
	const some = (number: number): License[] => {
		const chosen: License[] = [];
		while (chosen.length < number * share) {
			const license = pick(withStreet);
			if (CHAINS.includes(license.businessName ?? '') || taken.has(license.id)) continue;
			taken.add(license.id);
			chosen.push(license);
		}
		return chosen;
	};
	const entry = (kind: string, license: License, changes: Partial<Entry> = {}): Entry => ({
		kind,
		businessName: license.businessName ?? '',
		street: license.address?.street ?? undefined,
		city: license.address?.city ?? undefined,
		zip: license.address?.zip ?? undefined,
		id: license.id,
		...changes,
	});
	const nameOf = ({ businessName }: License) => businessName ?? '';
	const streetOf = ({ address }: License) => address?.street ?? '';
	const elsewhere = () =>
		`${100 + Math.floor(random() * 9800)} ${streetOf(pick(withStreet)).replace(/^\d+ /, '')}`;
	const headOf = (license: License) => nameOf(license).split(' ').slice(0, 2).join(' ');

	return [
		...some(50).map((one) => entry('as registered', one)),
		...some(75).map((one) =>
			entry('name misspelled', one, { businessName: misspell(nameOf(one), random) }),
		),
		...some(75).map((one) =>
			entry('spelled otherwise', one, {
				businessName: abbreviateName(nameOf(one)),
				street: spellOut(streetOf(one)),
				city: one.address?.city?.replace(/^Saint |^St\. /, 'St ').replace(/^Fort /, 'Ft. '),
			}),
		),
		...some(50).map((one) => {
			const suite = `${streetOf(one)} STE ${100 + Math.floor(random() * 80)}`;
			register.change(one.id, { address: { street: suite } });
			return entry('suite missing', one);
		}),
		...some(50).map((one) => entry('street missing', one, { street: undefined })),
		...some(25).map((one) =>
			entry('legal name instead', one, { businessName: one.legalName ?? nameOf(one) }),
		),
		...some(50).map((one) => entry('moved', one, { street: elsewhere(), zip: undefined })),
		...some(25).map((one) =>
			entry('renamed in part', one, { businessName: `${headOf(one)} ${pick(TAILS)}` }),
		),
		...some(25).map((one) =>
			entry('renamed', one, { businessName: `${pick(HEADS)} ${pick(TAILS)}` }),
		),
		...some(25).map((one) => {
			register.leaveOut(one.id);
			return entry('not there: closed', one, { id: undefined });
		}),
		...some(25).map((one) =>
			entry('not there: a branch of a chain', one, {
				businessName: pick(CHAINS),
				street: elsewhere(),
				id: undefined,
			}),
		),
		...some(25).map((one) =>
			entry('not there: another name, the house next door', one, {
				businessName: `${headOf(pick(withStreet))} ${pick(TAILS)}`,
				street: streetOf(one).replace(/^\d+/, (number) => String(Number(number) + 2)),
				id: undefined,
			}),
		),
	];
}

const HEADS = ['Cobalt Gecko', 'Tres Hermanas', 'Old Lemon Tree', 'Nonna Ida', 'Barrel & Bone'];
const TAILS = ['Grill', 'Kitchen', 'Lounge', 'Cafe', 'Tavern', 'Market', 'Bar & Grill'];

/** Branches of a few chains in the larger cities: the same name over and over. */
function plantChains(register: Sandbox['register'], pick: <T>(values: readonly T[]) => T): void {
	for (let branch = 0; branch < 200; branch++) {
		const { county, city, zip } = pick(seats);
		register.file({
			businessName: CHAINS[branch % CHAINS.length],
			legalName: null,
			address: {
				...{ city, county, zip },
				street: `${100 + (hash(3, branch, 1) % 9000)} ${pick(['MAIN', 'OAK', 'PALM'])} ST`,
			},
		});
	}
}

/** One typo in a word of at least five letters. */
function misspell(name: string, random: () => number): string {
	const words = name.split(' ');
	const long = words.map((word, index) => ({ word, index })).filter(({ word }) => word.length > 4);
	const { word, index } = long[Math.floor(random() * long.length)] ?? { word: name, index: 0 };
	const at = 1 + Math.floor(random() * (word.length - 2));
	const [a = '', b = ''] = [word[at], word[at + 1]];
	const kinds = [
		word.slice(0, at) + word.slice(at + 1),
		word.slice(0, at) + a + word.slice(at),
		word.slice(0, at) + b + a + word.slice(at + 2),
		`${word.slice(0, at)}${a === 'e' ? 'a' : 'e'}${word.slice(at + 1)}`,
	];
	words[index] = kinds[Math.floor(random() * kinds.length)] as string;
	return words.join(' ');
}

const abbreviateName = (name: string): string =>
	name
		.replace('Restaurant', 'Rest.')
		.replace('Convenience', 'Conv')
		.replace('Brewing Company', 'Brewing Co.')
		.replace('Market', 'Mkt')
		.replace(' & ', ' and ')
		.replace("'s", 's')
		.toUpperCase();

/** What people write where the register abbreviates. */
const spellOut = (street: string): string =>
	street
		.replace(/ ST\b/, ' Street')
		.replace(/ AVE\b/, ' Avenue')
		.replace(/ BLVD\b/, ' Boulevard')
		.replace(/ HWY\b/, ' Highway')
		.replace(/ DR\b/, ' Drive')
		.replace(/ RD\b/, ' Road')
		.replace(/^(\d+) FIRST /, '$1 1st ')
		.replace(/^(\d+) SECOND /, '$1 2nd ');

function tally(some: Measured['asked'], minimum: number) {
	const given = some.filter(({ answer }) => answer && answer.matchScore >= minimum);
	const right = given.filter(({ entry, answer }) => answer?.id === entry.id).length;
	return { right, wrong: given.length - right, given: given.length };
}

const knownIn = (asked: Measured['asked']): number =>
	asked.filter(({ entry }) => entry.id !== undefined).length;

const percent = (part: number, whole: number): string =>
	whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

function report({ asked, requests }: Measured): string {
	const known = knownIn(asked);
	const byScore = [0.7, DEFAULT, 0.9].map((minimum) => {
		const { right, given, wrong } = tally(asked, minimum);
		const name = minimum === DEFAULT ? `${minimum} (default)` : String(minimum);
		return [name, percent(right, given), percent(right, known), right, wrong];
	});
	const kinds = [...new Set(asked.map(({ entry }) => entry.kind))].map((kind) => {
		const some = asked.filter(({ entry }) => entry.kind === kind);
		const { right, wrong } = tally(some, DEFAULT);
		return [kind, some.length, right, wrong, some.length - right - wrong];
	});
	return [
		`${count(asked.length)} businesses as somebody's list may have them, matched to ${count(RECORDS)} licenses of the sandbox, 200 of them branches of five chains; ${known} are in the register. It takes ${(requests / asked.length).toFixed(1)} requests a business.`,
		table(['Minimum Score', 'precision', 'recall', 'right', 'wrong'], byScore),
		'At the default, by what is different:',
		table(['in the list', 'businesses', 'right', 'wrong', 'nothing'], kinds),
	].join('\n\n');
}
