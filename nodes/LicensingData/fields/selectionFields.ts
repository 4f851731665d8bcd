import type { INodeProperties } from 'n8n-workflow';

import { COUNTIES } from './county';
import { EVENT_TYPES, NEW_FILING } from './eventType';
import { LICENSE_TYPES } from './licenseType';

/** What both triggers ask the user, and `toSelection` reads. */
export const eventTypesField: INodeProperties = {
	displayName: 'Event Types',
	name: 'eventTypes',
	type: 'multiOptions',
	default: [NEW_FILING],
	description: 'Which events start the workflow. Choose none for any.',
	options: EVENT_TYPES,
};

export const countiesFilter: INodeProperties = {
	displayName: 'Counties',
	name: 'counties',
	type: 'multiOptions',
	default: [],
	description: 'Only licenses in one of these counties of Florida',
	options: COUNTIES,
};

export const licenseTypesFilter: INodeProperties = {
	displayName: 'License Types',
	name: 'licenseTypes',
	type: 'multiOptions',
	default: [],
	description: 'Only licenses of one of these kinds',
	options: LICENSE_TYPES,
};

/** What stands below a trigger on the canvas. */
export const watchedEvents =
	'={{ $parameter.eventTypes.map((event) => event.replaceAll("_", " ")).join(", ") || "any event" }}';
