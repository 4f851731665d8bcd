import { ALL_EVENT_TYPES } from '../licenses/eventTypes';

const EVENTS = Object.fromEntries(ALL_EVENT_TYPES.map(({ name, value }) => [value, name]));

/**
 * The line below a trigger on the canvas says what starts it, and where: "New Filing · Lee +3". It has room for
 * about 30 letters. Inside a collection, n8n does not evaluate expressions.
 */
export const triggerSubtitle = `={{ [[$parameter.eventTypes, ${JSON.stringify(EVENTS)}, "All events"], [$parameter.filters?.counties, {}, ""]]
.map(([given, names, none]) => [[given ?? []].flat().filter((one) => one !== "" && !String(one).startsWith("=")), names, none])
.map(([[first, ...more], names, none]) => first === undefined ? none : (names[first] ?? first) + (more.length > 0 ? " +" + more.length : ""))
.filter((text) => text !== "").join(" · ") }}`;
