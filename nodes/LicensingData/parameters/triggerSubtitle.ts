/** What the trigger's subtitle calls events, one or several. */
const PLURALS = {
	new_filing: 'new filings',
	renewal: 'renewals',
	ownership_transfer: 'ownership transfers',
	status_change: 'status changes',
	cancellation: 'cancellations',
};

/**
 * The line below a trigger on the canvas: "New filings · Miami-Dade, Broward". The canvas has room for about
 * 30 letters, so three or more are shown as the first and a count: "Renewals · Lee +3". An expression may
 * give one value instead of a list; inside a collection, n8n does not evaluate it.
 */
export const triggerSubtitle = `={{ [
	[$parameter.eventTypes || []].flat().map((event) => (${JSON.stringify(PLURALS)})[event] ?? event),
	[$parameter.filters?.counties || []].flat()
].map((names) => names.filter((name) => !String(name).startsWith("=")))
.map((names, at) => names.length > 2 ? names[0] + " +" + (names.length - 1) : names.join(", ") || (at === 0 ? "all events" : ""))
.filter((text) => text !== "").map((text) => text[0].toUpperCase() + text.slice(1)).join(" · ") }}`;
