import type { Shapes } from '../shapes.mts';
import { businessNameOf } from './business-names.mts';
import { Dataset } from './dataset.mts';
import { eventTypes, licenseTypes, type EventType } from './license.mts';
import { pickPlace } from './places.mts';
import { fraction, hash, weightedPicker } from './random.mts';
import type { RecordState } from './rendering.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const draw = {
	place: 1,
	type: 2,
	firstPart: 3,
	secondPart: 4,
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

/** The interface does not list the allowed statuses; these are this sandbox's. */
export const statusAfter = (event: EventType, chance: number): string => {
	const statuses = statusesAfter[event];
	return statuses[Math.floor(chance * statuses.length)] ?? 'active';
};

/** A believable new filing, drawn from the seed and the record's serial number. */
export function newFiling(seed: number, serial: number, time: number): RecordState {
	const licenseType = licenseTypes[pickType(fraction(seed, serial, draw.type))] ?? 'SRX';
	return {
		place: pickPlace(serial, fraction(seed, serial, draw.place)),
		businessName: businessNameOf(
			licenseType,
			hash(seed, serial, draw.firstPart),
			hash(seed, serial, draw.secondPart),
		),
		transfers: 0,
		filed: time,
		licenseType,
		eventType: 'new_filing',
		status: statusAfter('new_filing', fraction(seed, serial, draw.status)),
		time,
	};
}

/** Records whose latest events are in the years (for few records: months) before `until`. */
export function generatedDataset(
	seed: number,
	count: number,
	until: number,
	shapes?: Shapes,
): Dataset {
	const span = Math.min(Math.max(count / 300, 120), 3650) * DAY;
	const stateOf = (serial: number): RecordState => {
		const age = (1 - (serial + fraction(seed, serial, draw.filed)) / count) * span;
		const filed = wholeSecond(until - age);
		const filing = newFiling(seed, serial, filed);
		const eventType = eventTypes[pickEvent(fraction(seed, serial, draw.event))] ?? 'new_filing';
		if (eventType === 'new_filing') return filing;
		const since = filed + (until - filed) * fraction(seed, serial, draw.time);
		// The regulator publishes some of its changes in a nightly batch, all with one timestamp.
		const nightly = Math.floor(since / DAY) * DAY + 6 * HOUR;
		const batched = fraction(seed, serial, draw.batch) < 0.3 && nightly > filed && nightly <= until;
		return {
			...filing,
			eventType,
			time: batched ? nightly : wholeSecond(since),
			status: statusAfter(eventType, fraction(seed, serial, draw.status)),
			transfers: eventType === 'ownership_transfer' ? 1 : 0,
		};
	};
	return new Dataset(
		seed,
		Array.from({ length: count }, (_, serial) => stateOf(serial)),
		shapes,
	);
}

export const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;
