import type { Call } from './world.mts';

interface Corner {
	latitude: number;
	longitude: number;
}

interface Place {
	name: string;
	at: Corner;
	phone: string;
	website: string;
}

/** Finds a place by words in its name, where it is asked to look. */
export class Places {
	readonly known: Place[] = [];

	answer({ path, body, headers }: Call): unknown {
		if (path !== '/v1/places:searchText' || !headers['x-goog-api-key']) return undefined;
		const { textQuery, locationRestriction } = body as {
			textQuery: string;
			locationRestriction?: { rectangle: { low: Corner; high: Corner } };
		};
		const isInside = ({ latitude, longitude }: Corner) => {
			if (!locationRestriction) return true;
			const { low, high } = locationRestriction.rectangle;
			return (
				latitude >= low.latitude &&
				latitude <= high.latitude &&
				longitude >= low.longitude &&
				longitude <= high.longitude
			);
		};
		const places = this.known.filter(({ name, at }) => textQuery.includes(name) && isInside(at));
		// Google leaves out what is empty.
		return places.length === 0
			? {}
			: {
					places: places.map(({ name, phone, website }) => ({
						displayName: { text: name, languageCode: 'en' },
						nationalPhoneNumber: phone,
						websiteUri: website,
					})),
				};
	}
}
