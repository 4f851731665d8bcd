import { pickHead, tailIndexesByType } from './business-names.mts';
import { Dataset, type Standing } from './dataset.mts';
import { eventTypes, licenseTypes, type EventType } from './license.mts';
import type { Places } from './places.mts';
import { fraction, hash, weightedPicker } from './random.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const draw = {
	place: 1,
	type: 2,
	head: 3,
	tail: 4,
	event: 5,
	status: 6,
	filed: 7,
	time: 8,
	batch: 9,
};

const pickType = weightedPicker([18, 20, 6, 16, 24, 9, 7]);
const pickEvent = weightedPicker([45, 26, 10, 12, 7]);

const statusesAfter: Record<EventType, readonly string[]> = {
	new_filing: ['pending', 'pending', 'active'],
	renewal: ['active'],
	ownership_transfer: ['active', 'pending'],
	status_change: ['active', 'inactive', 'suspended', 'delinquent'],
	cancellation: ['cancelled'],
};

/** The allowed statuses are not in the interface; these are this sandbox's. */
export const statusAfter = (event: EventType, chance: number): string => {
	const statuses = statusesAfter[event];
	return statuses[Math.floor(chance * statuses.length)] ?? 'active';
};

/** A believable new filing, drawn from the seed and the record's number. */
export function newFiling(seed: number, slot: number, time: number, places: Places): Standing {
	const licenseType = licenseTypes[pickType(fraction(seed, slot, draw.type))] ?? 'SRX';
	const typeTails = tailIndexesByType.get(licenseType) ?? [0];
	return {
		place: places.pick(slot, fraction(seed, slot, draw.place)),
		head: pickHead(hash(seed, slot, draw.head)),
		tail: typeTails[hash(seed, slot, draw.tail) % typeTails.length] ?? 0,
		owner: 0,
		filed: time,
		licenseType,
		eventType: 'new_filing',
		status: statusAfter('new_filing', fraction(seed, slot, draw.status)),
		time,
	};
}

/** Records whose latest events lie in the years (for few records: months) before `until`. */
export function generatedDataset(seed: number, count: number, until: number): Dataset {
	const dataset = new Dataset(seed, Math.ceil(count * 1.2) + 1024);
	const span = Math.min(Math.max(count / 300, 120), 3650) * DAY;
	dataset.fill(count, (slot) => {
		const age = (1 - (slot + fraction(seed, slot, draw.filed)) / count) * span;
		const filed = wholeSecond(until - age);
		const filing = newFiling(seed, slot, filed, dataset.places);
		const eventType = eventTypes[pickEvent(fraction(seed, slot, draw.event))] ?? 'new_filing';
		if (eventType === 'new_filing') return filing;
		const since = filed + (until - filed) * fraction(seed, slot, draw.time);
		// The regulator publishes part of its changes in a nightly batch, all with one timestamp.
		const nightly = Math.floor(since / DAY) * DAY + 6 * HOUR;
		const batched = fraction(seed, slot, draw.batch) < 0.3 && nightly > filed && nightly <= until;
		return {
			...filing,
			eventType,
			time: batched ? nightly : wholeSecond(since),
			status: statusAfter(eventType, fraction(seed, slot, draw.status)),
			owner: eventType === 'ownership_transfer' ? 1 : 0,
		};
	});
	return dataset;
}

export const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;
