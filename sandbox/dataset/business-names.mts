import type { LicenseType } from './license.mts';

const listed = (names: string): string[] => names.trim().split(/,\s+/);

/** A generated business name has two parts: "Salty Pelican" and "Oyster Bar". */
const firstWords = listed(`
	Amber, Azure, Banyan, Bayside, Blue, Bold, Brass, Breezy, Bright, Calusa, Captain, Citrus,
	Coastal, Copper, Coral, Crimson, Crooked, Cypress, Dancing, Driftwood, Drowsy, Dusty, Emerald,
	Flamingo, Floating, Galleon, Gilded, Golden, Grand, Green, Gulf, Happy, Harbor, Hidden,
	Highland, Honey, Humble, Indigo, Island, Ivory, Jolly, Key, Lagoon, Lazy, Little, Lucky, Mango,
	Marlin, Merry, Mighty, Misty, Moonlit, Mossy, Noble, Northside, Old, Orange, Painted, Palmetto,
	Paper, Pelican, Pepper, Pine, Pink, Plaza, Prime, Quiet, Ragged, Red, Restless, Rising, River,
	Royal, Rusty, Salty, Sandy, Sapphire, Savanna, Seaside, Shady, Silver, Smoky, Southern, Spanish,
	Spotted, Starlit, Stone, Sugar, Sunny, Sunset, Swift, Tangerine, Tidewater, Tiny, Tropic, Twin,
	Velvet, Wandering, Western, White, Wild, Windward, Winking
`);
const secondWords = listed(`
	Albatross, Alligator, Anchor, Anhinga, Bay, Bell, Bluff, Boat, Breeze, Bridge, Cactus, Canoe,
	Cedar, Clam, Compass, Conch, Cork, Cove, Crab, Crane, Creek, Crow, Current, Dock, Dolphin, Dove,
	Dune, Egret, Falcon, Fern, Finch, Fox, Gate, Gecko, Grove, Gull, Hammock, Hawk, Heron, Hibiscus,
	Horizon, Ibis, Inlet, Jetty, Kestrel, Kingfisher, Kite, Landing, Lantern, Lighthouse, Lime,
	Lion, Lotus, Magnolia, Manatee, Mangrove, Mast, Meadow, Mermaid, Mill, Moon, Mule, Oak, Olive,
	Orchid, Osprey, Otter, Owl, Oyster, Panther, Parrot, Pearl, Pier, Pirate, Plum, Point, Porch,
	Rabbit, Ranch, Raven, Reef, Rooster, Rose, Sail, Sandpiper, Schooner, Shell, Shore, Shrimp,
	Spoonbill, Star, Swan, Table, Tern, Tide, Tortoise, Trail, Turtle, Whale, Willow
`);
const ownerNames = listed(`
	Abuela, Alma, Angelo, Antonio, Bea, Benny, Bianca, Big Al, Carlos, Carmen, Cecilia, Chef Andre,
	Clara, Daisy, Dario, Delia, Diego, Dolores, Eddie, Elena, Esteban, Fay, Felix, Frank, Gina,
	Gloria, Grace, Gus, Hank, Hector, Ida, Ines, Irma, Isabel, Jackie, Jerome, Joe, Josefina, Juan,
	Julian, June, Kim, Lena, Leo, Lidia, Lola, Lorenzo, Luca, Lucia, Mama Jean, Manny, Marco, Maria,
	Marisol, Mario, Maxine, Mei, Mia, Miguel, Mimi, Nadia, Nico, Nina, Noel, Nora, Olga, Omar,
	Oscar, Otis, Pablo, Paola, Pete, Pilar, Rafael, Ramona, Ray, Rita, Roberto, Rosa, Rosalind,
	Ruby, Sal, Santiago, Sofia, Stella, Tanya, Teo, Teresa, Tito, Tran, Uncle Lou, Vera, Victor,
	Viola, Walt, Wanda, Xavier, Yolanda, Yuki, Zelda
`);

const pictures = firstWords.flatMap((first) =>
	secondWords.filter((second) => second !== first).map((second) => `${first} ${second}`),
);

/** One name in six is its owner's. */
const pickFirstPart = (number: number): string | undefined =>
	number % 6 === 0
		? `${ownerNames[Math.floor(number / 6) % ownerNames.length]}'s`
		: pictures[Math.floor(number / 6) % pictures.length];

const kitchens = `Bistro, Cantina, Chophouse, Fish House, Grill, Kitchen, Noodle House, Pizzeria, Ramen Bar,
	Restaurant, Seafood, Smokehouse, Steakhouse, Sushi, Taqueria, Trattoria`;

const secondPartsByType: Record<LicenseType, readonly string[]> = {
	SRX: listed(`${kitchens}, Bar & Grill, Brasserie, Oyster Bar, Tapas & Wine`),
	COP: listed(`Alehouse, Bar, Billiards, Brewing Company, Cocktail Room, Lounge, Nightclub, Pub, Saloon,
		Sports Bar, Tap Room, Tavern, Tiki Bar, Wine Bar`),
	BEV: listed(`Beer Garden, Beverage Distributors, Brewery, Cafe & Wine, Cigar Lounge, Distilling,
		Meadery, Winery`),
	APS: listed(`Beer & Wine, Bottle Shop, Convenience, Corner Store, Discount Beverage, Food Mart,
		Grocery, Liquors, Market, Package Store, Wine Cellar`),
	FOOD_SERVICE:
		listed(`${kitchens}, Bakery, Bagels, Cafe, Catering, Coffee Roasters, Creamery, Deli,
		Diner, Juice Bar, Pancake House, Sandwich Shop, Wings`),
	SEATING: listed(`${kitchens}, Banquet Hall, Buffet, Cafe, Diner, Family Restaurant, Tea Room`),
	MOBILE_FOOD:
		listed(`Arepas, BBQ Trailer, Burger Truck, Coffee Cart, Empanadas, Food Truck, Hot Dogs,
		Shaved Ice, Street Tacos, Wood-Fired Pizza Truck`),
};

/** Makes a name from two numbers. */
export function businessNameOf(type: LicenseType, first: number, second: number): string {
	const secondParts = secondPartsByType[type];
	return `${pickFirstPart(first)} ${secondParts[second % secondParts.length]}`;
}

export const surnames = listed(`
	Abreu, Acosta, Alvarez, Anderson, Baptiste, Barnes, Bennett, Bianchi, Blake, Bryant, Cabrera,
	Campbell, Castillo, Chen, Clarke, Cohen, Collins, Cruz, Davis, Delgado, Diaz, Dupont, Ellis,
	Estrada, Evans, Fernandez, Figueroa, Fisher, Flores, Foster, Garcia, Gibson, Gomez, Gonzalez,
	Graham, Greene, Gupta, Hall, Harris, Hernandez, Hoang, Howard, Huang, Hughes, Jackson, Jean,
	Jenkins, Johnson, Kaur, Kelly, Khan, Kim, Kowalski, Lee, Lewis, Lopez, Marino, Martin, Martinez,
	Mendez, Mitchell, Morales, Morgan, Murphy, Nguyen, Novak, Ortiz, Parker, Patel, Perez, Pham,
	Phillips, Pierre, Quinn, Ramirez, Reed, Reyes, Rivera, Robinson, Rodriguez, Romano, Rossi, Ruiz,
	Russo, Sanchez, Santos, Schmidt, Shah, Silva, Singh, Soto, Stewart, Suarez, Taylor, Thomas,
	Torres, Tran, Turner, Valdes, Vargas, Vega, Walker, Wang, Watson, White, Williams, Wong, Wright,
	Young, Zamora
`);

export const legalForms = ['LLC', 'Inc.', 'Corp.', 'Holdings LLC', 'Hospitality LLC', 'Group Inc.'];

export const streets = listed(`
	Atlantic Avenue, Banyan Street, Bay Street, Bayshore Boulevard, Beach Road, Cedar Street,
	Central Avenue, Church Street, Citrus Avenue, College Avenue, Court Street, Cypress Lane,
	Dixie Highway, First Street, Flagler Avenue, Gulf Drive, Harbor Drive, Highland Avenue,
	Jefferson Street, Lake Avenue, Lemon Street, Madison Street, Magnolia Avenue, Main Street,
	Market Street, Oak Street, Ocean Drive, Orange Avenue, Palm Avenue, Palmetto Street,
	Park Avenue, Pine Street, Railroad Avenue, Ridge Road, River Road, Second Street,
	Seminole Boulevard, State Road, Sunrise Boulevard, Washington Street
`);
