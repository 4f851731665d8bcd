/** All 411 cities, towns and villages of Florida that govern themselves, by county. */
const BY_COUNTY = `
Alachua: Alachua, Archer, Gainesville, Hawthorne, High Springs, La Crosse, Micanopy, Newberry, Waldo
Baker: Glen St. Mary, Macclenny
Bay: Callaway, Lynn Haven, Mexico Beach, Panama City, Panama City Beach, Parker, Springfield
Bradford: Brooker, Hampton, Lawtey, Starke
Brevard: Cape Canaveral, Cocoa, Cocoa Beach, Grant-Valkaria, Indialantic, Indian Harbour Beach, Malabar, Melbourne, Melbourne Beach, Melbourne Village, Palm Bay, Palm Shores, Rockledge, Satellite Beach, Titusville, West Melbourne
Broward: Coconut Creek, Cooper City, Coral Springs, Dania Beach, Davie, Deerfield Beach, Fort Lauderdale, Hallandale Beach, Hillsboro Beach, Hollywood, Lauderdale-by-the-Sea, Lauderdale Lakes, Lauderhill, Lazy Lake, Lighthouse Point, Margate, Miramar, North Lauderdale, Oakland Park, Parkland, Pembroke Park, Pembroke Pines, Plantation, Pompano Beach, Sea Ranch Lakes, Southwest Ranches, Sunrise, Tamarac, West Park, Weston, Wilton Manors
Calhoun: Altha, Blountstown
Charlotte: Punta Gorda
Citrus: Crystal River, Inverness
Clay: Green Cove Springs, Keystone Heights, Orange Park, Penney Farms
Collier: Everglades City, Marco Island, Naples
Columbia: Fort White, Lake City
DeSoto: Arcadia
Dixie: Cross City, Horseshoe Beach
Duval: Atlantic Beach, Baldwin, Jacksonville, Jacksonville Beach, Neptune Beach
Escambia: Century, Pensacola
Flagler: Beverly Beach, Bunnell, Flagler Beach, Marineland, Palm Coast
Franklin: Apalachicola, Carrabelle
Gadsden: Chattahoochee, Greensboro, Gretna, Havana, Midway, Quincy
Gilchrist: Bell, Fanning Springs, Trenton
Glades: Moore Haven
Gulf: Port St. Joe, Wewahitchka
Hamilton: Jasper, Jennings, White Springs
Hardee: Bowling Green, Wauchula, Zolfo Springs
Hendry: Clewiston, LaBelle
Hernando: Brooksville
Highlands: Avon Park, Lake Placid, Sebring
Hillsborough: Plant City, Tampa, Temple Terrace
Holmes: Bonifay, Esto, Noma, Ponce de Leon, Westville
Indian River: Fellsmere, Indian River Shores, Orchid, Sebastian, Vero Beach
Jackson: Alford, Bascom, Campbellton, Cottondale, Graceville, Grand Ridge, Greenwood, Jacob City, Malone, Marianna, Sneads
Jefferson: Monticello
Lafayette: Mayo
Lake: Astatula, Clermont, Eustis, Fruitland Park, Groveland, Howey-in-the-Hills, Lady Lake, Leesburg, Mascotte, Minneola, Montverde, Mount Dora, Tavares, Umatilla
Lee: Bonita Springs, Cape Coral, Estero, Fort Myers, Fort Myers Beach, Sanibel
Leon: Tallahassee
Levy: Bronson, Cedar Key, Chiefland, Inglis, Otter Creek, Williston, Yankeetown
Liberty: Bristol
Madison: Greenville, Lee, Madison
Manatee: Anna Maria, Bradenton, Bradenton Beach, Holmes Beach, Longboat Key, Palmetto
Marion: Belleview, Dunnellon, McIntosh, Ocala, Reddick
Martin: Indiantown, Jupiter Island, Ocean Breeze, Sewall's Point, Stuart
Miami-Dade: Aventura, Bal Harbour, Bay Harbor Islands, Biscayne Park, Coral Gables, Cutler Bay, Doral, El Portal, Florida City, Golden Beach, Hialeah, Hialeah Gardens, Homestead, Indian Creek, Key Biscayne, Medley, Miami, Miami Beach, Miami Gardens, Miami Lakes, Miami Shores, Miami Springs, North Bay Village, North Miami, North Miami Beach, Opa-locka, Palmetto Bay, Pinecrest, South Miami, Sunny Isles Beach, Surfside, Sweetwater, Virginia Gardens, West Miami
Monroe: Islamorada, Key Colony Beach, Key West, Layton, Marathon
Nassau: Callahan, Fernandina Beach, Hilliard
Okaloosa: Cinco Bayou, Crestview, Destin, Fort Walton Beach, Laurel Hill, Mary Esther, Niceville, Shalimar, Valparaiso
Okeechobee: Okeechobee
Orange: Apopka, Bay Lake, Belle Isle, Eatonville, Edgewood, Lake Buena Vista, Maitland, Oakland, Ocoee, Orlando, Windermere, Winter Garden, Winter Park
Osceola: Kissimmee, St. Cloud
Palm Beach: Atlantis, Belle Glade, Boca Raton, Boynton Beach, Briny Breezes, Cloud Lake, Delray Beach, Glen Ridge, Golf, Greenacres, Gulf Stream, Haverhill, Highland Beach, Hypoluxo, Juno Beach, Jupiter, Jupiter Inlet Colony, Lake Clarke Shores, Lake Park, Lake Worth Beach, Lantana, Loxahatchee Groves, Manalapan, Mangonia Park, North Palm Beach, Ocean Ridge, Pahokee, Palm Beach, Palm Beach Gardens, Palm Beach Shores, Palm Springs, Riviera Beach, Royal Palm Beach, South Bay, South Palm Beach, Tequesta, Wellington, West Palm Beach, Westlake
Pasco: Dade City, New Port Richey, Port Richey, St. Leo, San Antonio, Zephyrhills
Pinellas: Belleair, Belleair Beach, Belleair Bluffs, Belleair Shore, Clearwater, Dunedin, Gulfport, Indian Rocks Beach, Indian Shores, Kenneth City, Largo, Madeira Beach, North Redington Beach, Oldsmar, Pinellas Park, Redington Beach, Redington Shores, Safety Harbor, St. Pete Beach, St. Petersburg, Seminole, South Pasadena, Tarpon Springs, Treasure Island
Polk: Auburndale, Bartow, Davenport, Dundee, Eagle Lake, Fort Meade, Frostproof, Haines City, Highland Park, Hillcrest Heights, Lake Alfred, Lake Hamilton, Lakeland, Lake Wales, Mulberry, Polk City, Winter Haven
Putnam: Crescent City, Interlachen, Palatka, Pomona Park, Welaka
St. Johns: St. Augustine, St. Augustine Beach
St. Lucie: Fort Pierce, Port St. Lucie, St. Lucie Village
Santa Rosa: Gulf Breeze, Jay, Milton
Sarasota: North Port, Sarasota, Venice
Seminole: Altamonte Springs, Casselberry, Lake Mary, Longwood, Oviedo, Sanford, Winter Springs
Sumter: Bushnell, Center Hill, Coleman, Webster, Wildwood
Suwannee: Branford, Live Oak
Taylor: Perry
Union: Lake Butler, Raiford, Worthington Springs
Volusia: Daytona Beach, Daytona Beach Shores, DeBary, DeLand, Deltona, Edgewater, Holly Hill, Lake Helen, New Smyrna Beach, Oak Hill, Orange City, Ormond Beach, Pierson, Ponce Inlet, Port Orange, South Daytona
Wakulla: St. Marks, Sopchoppy
Walton: DeFuniak Springs, Freeport, Paxton
Washington: Caryville, Chipley, Ebro, Vernon, Wausau
`;

export const MUNICIPALITIES: string[] = BY_COUNTY.trim()
	.split('\n')
	.flatMap((line) => line.replace(/^[^:]+: /, '').split(', '));
