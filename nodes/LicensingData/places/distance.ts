/** A place on earth, in degrees. */
export interface Point {
	lat: number;
	lng: number;
}

const EARTH_RADIUS_MILES = 3958.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The distance as the crow flies, by the haversine formula: within half a percent. */
export function milesBetween(a: Point, b: Point): number {
	const halfChord =
		Math.sin(radians(b.lat - a.lat) / 2) ** 2 +
		Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(radians(b.lng - a.lng) / 2) ** 2;
	return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(Math.min(1, halfChord)));
}

/** Florida and some sea around it. Coordinates outside are mistakes, such as 0, 0. */
export const isInFlorida = ({ lat, lng }: Point): boolean =>
	lat > 24 && lat < 31.5 && lng > -88 && lng < -79.5;
