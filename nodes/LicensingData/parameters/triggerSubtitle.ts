import { ALL_LICENSE_TYPES, LICENSE_TYPE_GROUPS } from '../domain/licenseTypes';

/** What the trigger's subtitle calls events, one or several. */
const EVENTS = {
	new_filing: 'new filings',
	renewal: 'renewals',
	ownership_transfer: 'ownership transfers',
	status_change: 'status changes',
	cancellation: 'cancellations',
	address_change: 'address changes',
};

/** Codes are short enough; what has none is called by its name. */
const LICENSE_TYPE_NAMES = Object.fromEntries(
	[...LICENSE_TYPE_GROUPS, ...ALL_LICENSE_TYPES]
		.filter(({ name }) => !name.endsWith(')'))
		.map(({ name, value }) => [value, name]),
);

/**
 * The line below a trigger on the canvas says what starts it, and where: "New filings · COP, SRX · ZIP 331*".
 * The canvas has room for about 30 letters, so three or more are shown as the first and a count: "Renewals ·
 * Lee +3". A list may also be a text with commas. Inside a collection, n8n does not evaluate expressions.
 */
export const triggerSubtitle = `={{ ((filters, listOf) => [
	[listOf($parameter.eventTypes).map((event) => (${JSON.stringify(EVENTS)})[event] ?? event), "", "all events"],
	[listOf(filters.licenseTypes).map((type) => (${JSON.stringify(LICENSE_TYPE_NAMES)})[type] ?? type), ""],
	[listOf(filters.counties), ""],
	[listOf(filters.cities), ""],
	[listOf(filters.zipCodes), "ZIP "],
	[[filters.near?.area?.center ?? ""].filter((center) => center !== "" && !String(center).startsWith("=")), "near "]
].map(([names, before, none]) => names.length === 0 ? none ?? "" : before + (names.length > 2 ? names[0] + " +" + (names.length - 1) : names.join(", ")))
.filter((text) => text !== "").map((text) => text[0].toUpperCase() + text.slice(1)).join(" · "))(
	$parameter.filters ?? {},
	(value) => [value ?? []].flat().filter((text) => !String(text).startsWith("="))
		.flatMap((text) => String(text).split(/[,;\\n]/)).map((text) => text.trim()).filter((text) => text !== "")
) }}`;
