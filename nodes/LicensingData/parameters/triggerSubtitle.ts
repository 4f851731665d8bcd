/** What the trigger's subtitle calls events, one or several. */
const EVENTS = {
	new_filing: 'New filings',
	renewal: 'Renewals',
	ownership_transfer: 'Ownership transfers',
	status_change: 'Status changes',
	cancellation: 'Cancellations',
	address_change: 'Address changes',
};

/**
 * The line below a trigger on the canvas says what starts it, and where: "New filings · Lee +3". It has room for
 * about 30 letters. Inside a collection, n8n does not evaluate expressions.
 */
export const triggerSubtitle = `={{ [[$parameter.eventTypes, ${JSON.stringify(EVENTS)}, "All events"], [$parameter.filters?.counties, {}, ""]]
.map(([given, names, none]) => [[given ?? []].flat().filter((one) => one !== "" && !String(one).startsWith("=")), names, none])
.map(([[first, ...more], names, none]) => first === undefined ? none : (names[first] ?? first) + (more.length > 0 ? " +" + more.length : ""))
.filter((text) => text !== "").join(" · ") }}`;
