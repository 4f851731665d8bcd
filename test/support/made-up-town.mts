import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { randomSequence } from '../../sandbox/dataset/random.mts';

/** Somebody who runs a business behind a door, for a while, with one license or several. */
interface Tenancy {
	door: string;
	business: string;
	holder: number;
}

/** A license as a clerk wrote it down, and what is true about it. */
export interface Filing extends Tenancy {
	license: License;
	/** Who had a license behind this door before, latest first. */
	before: Tenancy[];
	/** How many licenses the holder has, this one included. */
	held: number;
	/** What the clerk wrote wrong or left out. */
	slip: 'none' | 'no street' | 'no unit' | 'other unit' | 'typo' | 'zip';
	/** Whether a clerk slipped at another license of this building. */
	isBesideSlip: boolean;
}

// cspell:disable
/** Each street in the ways that people write it. Two of them differ in a direction only. */
const STREETS = [
	['Bay Street', 'BAY ST', 'Bay St.'],
	['Northwest Second Avenue', 'NW 2ND AVE', 'N.W. 2nd Ave.'],
	['Ocean Boulevard', 'OCEAN BLVD', 'Ocean Blvd.'],
	['State Road 60', 'SR 60', 'State Rd 60'],
	['Saint George Street', 'ST GEORGE ST', 'St. George St.'],
	['Tamiami Trail North', 'TAMIAMI TRL N', 'Tamiami Trl. North'],
	['Tamiami Trail', 'TAMIAMI TRL', 'Tamiami Trl.'],
	['Martin Luther King Jr Boulevard', 'MLK BLVD', 'Dr. Martin Luther King Blvd'],
];
const UNITS = [', Suite ', ' STE ', ' #', ' Unit '];
const FORMS = [' LLC', ', L.L.C.', ' Limited Liability Company'];
const FIRST = ['Copper', 'Velvet', 'Salty', 'Lucky', 'Golden', 'Rusty', 'Mangrove', 'Neon'];
const SECOND = ['Heron', 'Anchor', 'Palm', 'Lantern', 'Oyster', 'Barrel', 'Gecko', 'Compass'];
const THIRD = ['Tavern', 'Grill & Bar', 'Lounge', "Sailor's Taproom", 'Cantina'];
const CHAINS = ["Captain Bob's Wings", 'Sunny Side Diner'];
// cspell:enable

function grouped<T, Key>(all: T[], keyOf: (one: T) => Key): Map<Key, T[]> {
	const groups = new Map<Key, T[]>();
	for (const one of all) {
		const group = groups.get(keyOf(one));
		if (group) group.push(one);
		else groups.set(keyOf(one), [one]);
	}
	return groups;
}

/**
 * A town of buildings with one door or several, in which tenants come and go: some have several licenses or
 * several places, some sell to the next, some belong to a chain of which others have places, too. Each license is
 * written down by another clerk, and clerks slip. The truth is what was decided about doors and tenants; it is
 * never read off what the clerks wrote. `slips` scales how often they slip.
 */
export function madeUpTown(seed: number, buildings: number, slips = 1): Filing[] {
	const random = randomSequence(seed);
	const below = (limit: number) => Math.floor(random() * limit);
	const chance = (share: number) => random() < share;
	const pick = <T,>(values: readonly T[]): T => values[below(values.length)] as T;
	let names = 0;
	let holders = 0;

	const newName = () => {
		const number = names++;
		const name = `The ${FIRST[number % 8]} ${SECOND[(number >> 3) % 8]} ${THIRD[(number >> 6) % 5]}`;
		const round = Math.floor(number / 320);
		return chance(0.05) ? pick(CHAINS) : round > 0 ? `${name} ${round}` : name;
	};

	const drafts: Array<
		Omit<Filing, 'before' | 'held' | 'isBesideSlip'> & { building: number; at: number }
	> = [];
	for (let building = 0; building < buildings; building++) {
		const units = chance(0.5) ? 1 : 2 + below(4);
		const street = pick(STREETS);
		const zip = 33_600 + below(30);
		for (let unit = 1; unit <= units; unit++) {
			let business = newName();
			let holder = holders++;
			for (let tenant = below(3), at = random() * 0.9; tenant >= 0; tenant--) {
				for (let license = chance(0.2) ? 2 : 1; license > 0; license--) {
					at += random() * (1 - at) * 0.5;
					const slip = slipOf(units > 1);
					drafts.push({
						...{ building, at, business, holder, slip, door: `${building}/${unit}` },
						license: written(
							{ business, holder, street, number: 100 + 2 * building, zip, slip },
							units > 1 ? unit * 10 : 0,
						),
					});
				}
				// The next tenant: a buyer who keeps the name, the same people with a new name, or somebody else.
				const next = random();
				if (next > 0.15) business = newName();
				if (next < 0.15 || next > 0.25)
					holder = holders > 0 && chance(0.3) ? below(holders) : holders++;
			}
		}
	}

	function slipOf(hasUnits: boolean): Filing['slip'] {
		const slip = random() / slips;
		if (slip < 0.03) return 'no street';
		if (slip < 0.04) return 'typo';
		if (slip < 0.05) return 'zip';
		if (hasUnits && slip < 0.15) return 'no unit';
		return hasUnits && slip < 0.16 ? 'other unit' : 'none';
	}

	function written(
		{
			business,
			holder,
			street,
			number,
			zip,
			slip,
		}: {
			business: string;
			holder: number;
			street: string[];
			number: number;
			zip: number;
			slip: Filing['slip'];
		},
		unit: number,
	): License {
		const shout = (words: string) => (chance(0.3) ? words.toUpperCase() : words);
		const name = slip === 'typo' ? pick(street).replace(/[aeiou]/i, '') : pick(street);
		const door = slip === 'other unit' ? unit + 1 : unit;
		const inside = unit > 0 && slip !== 'no unit' ? `${pick(UNITS)}${door}` : '';
		const written = String(slip === 'zip' ? zip + 50 : zip);
		return {
			businessName: shout(chance(0.3) ? business.replace('The ', '') : business),
			legalName: shout(`Holder Number ${holder} of Florida${pick(FORMS)}`),
			licenseType: pick(['COP', 'SRX', 'BEV', 'APS']),
			eventType: 'new_filing',
			address: {
				street: slip === 'no street' ? null : `${number} ${name}${inside}`,
				city: 'Tampa',
				county: 'Hillsborough',
				state: 'FL',
				zip: chance(0.3) ? `${written}-1234` : written,
			},
		};
	}

	drafts.sort((one, other) => one.at - other.at);
	const behind = grouped(drafts, ({ door }) => door);
	const inside = grouped(drafts, ({ building }) => building);
	const of = grouped(drafts, ({ holder }) => holder);
	return drafts.map((draft, index): Filing => {
		const { at, building, ...filing } = draft;
		const earlier = (all: typeof drafts = []) => all.filter((other) => other.at < at);
		const beside = inside.get(building)?.filter((other) => other !== draft) ?? [];
		const eventTimestamp = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
		return {
			...filing,
			license: { ...filing.license, id: `lic_${index}`, eventTimestamp },
			before: earlier(behind.get(filing.door)).reverse(),
			held: earlier(of.get(filing.holder)).length + 1,
			isBesideSlip: beside.some(({ slip }) => slip !== 'none'),
		};
	});
}
