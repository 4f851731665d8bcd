/** For one event or several, in the trigger's subtitle. */
const PLURALS = {
	new_filing: 'new filings',
	renewal: 'renewals',
	ownership_transfer: 'ownership transfers',
	status_change: 'status changes',
	cancellation: 'cancellations',
};

/**
 * What stands below a trigger on the canvas: "New filings · Miami-Dade, Broward". The canvas has room for
 * some 30 letters, so more than two are the first and a number: "Renewals · Lee +3". An expression may give one value in place of a list; n8n leaves it unread within a collection.
 */
export const watchedEvents = `={{ [
	[$parameter.eventTypes || []].flat().map((event) => (${JSON.stringify(PLURALS)})[event] ?? event),
	[$parameter.filters?.counties || []].flat()
].map((names) => names.filter((name) => !String(name).startsWith("=")))
.map((names, at) => names.length > 2 ? names[0] + " +" + (names.length - 1) : names.join(", ") || (at === 0 ? "all events" : ""))
.filter((text) => text !== "").map((text) => text[0].toUpperCase() + text.slice(1)).join(" · ") }}`;
