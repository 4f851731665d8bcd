/*! Mostly from the Gazetteer of the U.S. Census Bureau (public domain); some from GeoNames (geonames.org), CC BY 4.0. */

/**
 * The municipalities and census-designated places of Florida, and what else people and license records call a
 * city, with thousandths of degrees north and west: those that have no ZIP code of their own, or whose middle
 * is more than two miles from that of their ZIP codes. Sorted by name; of two with one name, only the better
 * known is here.
 */
export const PLACE_TABLE = `
Acacia Villas 26646 80110
Alachua 29765 82475
Alafaya 28528 81186
Alford 30697 85396
Allapattah 25815 80224
Allentown 30770 87084
Altamonte Springs 28661 81395
Altha 30573 85126
Altoona 28969 81648
Alturas 27842 81682
Amelia Island 30605 81455
Andrews 29550 82888
Apopka 28702 81532
Arcadia 27221 81858
Archer 29560 82573
Asbury Lake 30049 81788
Atlantis 26597 80104
Auburndale 28110 81797
Aucilla 30477 83760
Avalon 30536 87105
Ave Maria 26323 81439
Aventura 25960 80133
Azalea Park 28547 81295
Bal Harbour 25893 80123
Baldwin 30308 81974
Bardmoor 27856 82753
Bascom 30928 85118
Bay Harbor Islands 25888 80134
Bay Hill 28462 81515
Bay Lake 28389 81578
Bayonet Point 28326 82683
Bayport 28543 82644
Bayshore Gardens 27433 82578
Beacon Square 28211 82751
Bear Creek 27758 82729
Bee Ridge 27284 82473
Bellair-Meadowbrook Terrace 30179 81734
Belle Glade Camp 26658 80683
Belle Isle 28465 81351
Belleair 27936 82813
Belleair Bluffs 27920 82820
Belleair Shore 27917 82845
Belleview 29061 82056
Bellview 30465 87309
Berkshire Lakes 26162 81728
Berrydale 30897 87034
Beverly Beach 29516 81147
Big Coppitt Key 24580 81652
Biscayne Park 25882 80181
Bithlo 28582 81092
Black Diamond 28907 82495
Black Hammock 28706 81177
Bloomingdale 27877 82261
Boca Del Mar 26345 80147
Boca Pointe 26333 80159
Bonifay 30781 85689
Boulevard Gardens 26127 80181
Bowling Green 27638 81825
Boyette 27818 82223
Bradenton 27490 82577
Bradfordville 30574 84211
Bradley Junction 27795 81978
Branford 29962 82924
Brent 30472 87251
Briny Breezes 26509 80052
Broadview Park 26099 80208
Brooker 29888 82333
Brookridge 28548 82490
Brooksville 28517 82405
Broward Estates 26126 80193
Brownsdale 30894 87215
Brownsville 25822 80242
Buckhead Ridge 27133 80885
Buckingham 26645 81747
Buenaventura Lakes 28333 81352
Bunche Park 25921 80237
Bunnell 29419 81319
Burnt Store Marina 26767 82051
Bushnell 28687 82114
Butler Beach 29799 81265
Cabana Colony 26855 80086
Callaway 30130 85549
Campbell 28259 81451
Capitola 30442 84079
Carol City 25941 80246
Carrabelle 29854 84668
Carrollwood 28058 82516
Carrollwood Village 28068 82521
Carver Ranches 25988 80192
Caryville 30775 85812
Casselberry 28661 81322
Cedar Grove 30181 85627
Celebration 28310 81551
Center Hill 28622 82015
Century 30977 87265
Chaires 30444 84132
Charleston Park 26705 81581
Charlotte Harbor 26962 82059
Charlotte Park 26904 82049
Cheval 28148 82517
Chipley 30776 85540
Chuluota 28640 81118
Chumuckla 30788 87226
Cinco Bayou 30422 86610
Citrus Hills 28887 82431
Citrus Park 28071 82562
Citrus Ridge 28334 81642
Citrus Springs 28993 82459
Clearwater 27979 82771
Clermont 28533 81720
Cleveland 26952 81990
Clewiston 26753 80939
Cloud Lake 26675 80072
Cobbtown 30880 87129
Cocoa West 28359 80771
Coconut Creek 26281 80185
Coconut Grove 25713 80257
Combee Settlement 28060 81904
Connerton 28308 82465
Conway 28497 81333
Cooper City 26048 80285
Coral Gables 25683 80262
Coral Terrace 25746 80304
Country Club 25940 80309
Country Walk 25633 80434
Crescent Beach 29730 81242
Crescent City 29435 81513
Crestview 30748 86579
Crooked Lake Park 27831 81590
Cross City 29639 83125
Crystal Lake 28036 81900
Cudjoe Key 24679 81500
Cutler 25615 80311
Cutler Bay 25576 80334
Cypress Gardens 28004 81691
Cypress Lake 26539 81899
Cypress Quarters 27248 80810
Dade City 28356 82193
Dade City North 28384 82194
Dania Beach 26057 80165
Davenport 28158 81608
Davie 26079 80283
Daytona Beach 29191 81097
Daytona Beach Shores 29171 80981
DeBary 28881 81324
DeFuniak Springs 30713 86120
DeLand 29023 81286
DeLand Southwest 29008 81311
Deltona 28905 81211
Desoto Acres 27383 82518
Desoto Lakes 27381 82499
Dickerson City 30478 87069
Dixonville 30984 87053
Doctor Phillips 28443 81491
Doral 25816 80358
Duck Key 24773 80910
Dunedin 28026 82815
East Bronson 29459 82591
East Lake 28123 82689
East Lake-Orient Park 28004 82365
East Milton 30617 86964
East Naples 26138 81766
East Pensacola Heights 30429 87180
East Perrine 25609 80339
East Williston 29388 82416
Eastpoint 29757 84862
Eatonville 28615 81392
Edgewater 28954 80941
Edgewood 28482 81370
Eglin Air Force Base 30461 86551
Eglin Village 30463 86539
Egypt Lake-Leto 28017 82506
El Portal 25855 80196
Ensley 30526 87272
Esto 30982 85643
Eustis 28857 81677
Fairview Shores 28600 81398
Fanning Springs 29588 82925
Feather Sound 27910 82689
Fellsmere 27721 80610
Fern Park 28648 81346
Ferry Pass 30521 87186
Fidelis 30930 87031
FishHawk 27849 82215
Fisher Island 25762 80142
Five Points 30220 82645
Flagami 25762 80316
Flagler Estates 29648 81458
Florida City 25444 80468
Florida Gulf Coast University 26468 81764
Florida Ridge 27583 80383
Floridatown 30582 87161
Fontainebleau 25772 80346
Forest City 28661 81445
Fort Braden 30426 84543
Fort Denaud 26723 81554
Fort Green 27625 81940
Fort Green Springs 27588 81940
Fort Lauderdale 26141 80147
Fort Myers 26620 81830
Fort Myers Beach 26430 81914
Fort Myers Shores 26714 81744
Fort Pierce North 27475 80359
Fort Pierce South 27410 80354
Fountainebleau 25773 80348
Four Corners 28333 81647
Franklin Park 26133 80176
Freeport 30515 86136
Frostproof 27750 81524
Fruit Cove 30097 81621
Fruitland Park 28850 81937
Fruitville 27333 82459
Fuller Heights 27923 81997
Fussels Corner 28058 81861
Gandy 27868 82616
Garcon Point 30476 87086
Garden Grove 28472 82434
Gardner 27363 81786
Gateway 26580 81748
Gibsonia 28115 81974
Gifford 27676 80425
Gladeview 25840 80239
Glen Ridge 26672 80077
Glen St. Mary 30275 82160
Glencoe 29016 80970
Glenvar Heights 25709 80316
Golden Beach 25963 80122
Golden Gate 26184 81704
Golden Glades 25913 80201
Goldenrod 28612 81291
Golf 26503 80106
Goulding 30440 87229
Goulds 25561 80388
Grant-Valkaria 27934 80566
Grayton Beach 30327 86163
Greater Northdale 28105 82526
Green Cove Springs 29985 81681
Greenbriar 28011 82753
Greenwood 30873 85161
Grenelefe 28049 81547
Gretna 30580 84711
Grove City 26907 82326
Groveland 28610 81827
Gulf Breeze 30368 87173
Gulf Gate 27258 82508
Gulf Stream 26486 80057
Gulfport 27746 82710
Gun Club Estates 26675 80108
Haines City 28113 81617
Hallandale Beach 25984 80141
Harbor Bluffs 27908 82827
Harbour Heights 26993 82006
Harlem 26732 80952
Harlem Heights 26515 81928
Harold 30674 86847
Haverhill 26691 80122
Heathrow 28779 81371
Heritage Bay 26285 81662
Heritage Pines 28429 82623
Hernando 28955 82393
Hernando Beach 28468 82667
Hialeah Gardens 25888 80357
High Point 28547 82521
High Springs 29800 82589
Highland Beach 26412 80064
Highland Park 27862 81566
Hiland Park 30201 85627
Hill 'n Dale 28514 82291
Hillcrest Heights 27825 81536
Hillsboro Beach 26282 80079
Hillsboro Pines 26325 80192
Holden Heights 28520 81400
Holden Lakes 28499 81385
Holley 30453 86904
Holly Hill 29246 81047
Hollywood 26031 80165
Homestead 25466 80443
Homestead Base 25493 80390
Homosassa 28785 82608
Homosassa Springs 28809 82541
Horizon West 28440 81613
Horseshoe Beach 29444 83288
Hosford 30403 84808
Howey-in-the-Hills 28704 81784
Hunters Creek 28360 81437
Hutchinson Island South 27305 80220
Hypoluxo 26567 80052
Immokalee 26424 81422
Indian Creek 25878 80137
Indian Harbour Beach 28157 80600
Indian River Estates 27355 80298
Indian River Shores 27710 80382
Indian Shores 27853 82845
Inglis 29033 82661
Inlet Beach 30276 86003
Inverness Highlands North 28865 82377
Inverness Highlands South 28801 82337
Inwood 28038 81767
Iona 26517 81961
Islamorada 24984 80543
Island Walk 26251 81711
Isle of Normandy 25853 80135
Ives Estates 25963 80183
Jacob City 30886 85414
Jan Phyl Village 28016 81794
Jasmine Estates 28296 82689
Jasper 30456 82934
Jay 30950 87152
Jennings 30597 83107
June Park 28072 80688
Juno Beach 26875 80060
Juno Ridge 26849 80062
Jupiter Farms 26923 80218
Jupiter Inlet Colony 26948 80075
Jupiter Island 27027 80102
Kathleen 28119 82040
Kendale Lakes 25707 80412
Kendall 25670 80355
Kendall Green 26254 80124
Kendall West 25707 80441
Kenneth City 27816 82715
Kensington Park 27357 82495
Kenwood Estates 26628 80115
Key Largo 25123 80412
Key Vista 28194 82770
Keystone 28128 82608
Keystone Heights 29783 82036
Kings Point 26445 80140
Kissimmee 28303 81418
LaBelle 26721 81452
Laguna Beach 30255 85951
Lake Belvedere Estates 26691 80135
Lake Buena Vista 28377 81525
Lake Butler 30018 82343
Lake Clarke Shores 26646 80075
Lake Hart 28381 81232
Lake Kathryn 28998 81488
Lake Kerr 29349 81792
Lake Lindsey 28632 82362
Lake Lorraine 30441 86565
Lake Lucerne 25965 80241
Lake Mack-Forest Hills 29000 81406
Lake Magdalene 28082 82484
Lake Mary 28759 81333
Lake Mary Jane 28379 81170
Lake Mystic 30392 84991
Lake Park 26800 80067
Lake Sarasota 27295 82433
Lake Wales 27921 81600
Lake Worth Beach 26620 80059
Lake Worth Corridor 26616 80101
Lakeland Highlands 27957 81951
Lakes by the Bay 25572 80325
Lakeside 30137 81769
Lakewood Park 27539 80387
Lakewood Ranch 27424 82387
Land O' Lakes 28208 82446
Lantana 26583 80055
Lauderdale Lakes 26167 80201
Lauderdale-by-the-Sea 26191 80099
Lauderhill 26162 80224
Laurel Hill 30961 86458
Lawtey 30048 82072
Layton 24825 80812
Lazy Lake 26156 80145
Lealman 27820 82685
Lecanto 28824 82501
Leesburg 28717 81903
Leisure City 25494 80436
Lely 26105 81728
Lely Resort 26096 81704
Lemon Grove 27593 81650
Liberty Triangle 29076 82219
Lighthouse Point 26278 80089
Limestone 27367 81905
Limestone Creek 26943 80141
Lisbon 28883 81774
Little Torch Key 24668 81391
Live Oak 30296 82985
Lochmoor Waterway Estates 26642 81907
Lockhart 28627 81434
Longwood 28701 81348
Lower Grand Lagoon 30143 85752
Loxahatchee Groves 26721 80277
Madeira Beach 27796 82792
Manalapan 26567 80040
Manasota Key 26924 82353
Manatee Road 29515 82919
Mangonia Park 26759 80076
Marco Shores-Hammock Bay 25996 81696
Marianna 30761 85256
Marineland 29670 81215
Marion Oaks 29001 82195
Mary Esther 30412 86659
Masaryktown 28442 82461
Matlacha 26636 82077
Matlacha Isles-Matlacha Shores 26629 82059
Mayo 30051 83177
Mayport 30393 81430
McGregor 26562 81913
McIntosh 29449 82221
Meadow Oaks 28350 82598
Meadow Woods 28373 81334
Medley 25865 80358
Medulla 27959 81981
Melbourne 28110 80663
Melbourne Beach 28067 80560
Melbourne Village 28088 80665
Melrose Park 26113 80193
Memphis 27545 82556
Merritt Island 28309 80676
Miami 25775 80209
Miami Lakes 25913 80320
Miami Shores 25867 80178
Miami Springs 25820 80289
Micco 27856 80511
Miccosukee 30593 84047
Middleburg 30050 81901
Milton 30629 87053
Minneola 28602 81729
Miramar 25973 80339
Molino 30703 87321
Montura 26643 81094
Moon Lake 28298 82606
Moore Haven 26834 81098
Morriston 29281 82440
Mount Carmel 30992 87124
Mount Plymouth 28804 81534
Mulat 30560 87130
Munson 30829 86890
Myrtle Grove 30415 87303
Naples 26150 81795
Naples Manor 26090 81725
Naples Park 26263 81811
Naranja 25516 80422
Nassau Village-Ratliff 30511 81809
Navarre Beach 30376 86894
New Port Richey East 28263 82694
Niceville 30529 86476
Nocatee 30085 81410
Norland 25949 80212
North Andrews Gardens 26191 80144
North Bay Village 25849 80151
North Brooksville 28577 82332
North DeLand 29048 81297
North Fort Myers 26718 81846
North Key Largo 25261 80322
North Lauderdale 26212 80221
North Merritt Island 28461 80713
North Miami 25901 80169
North Redington Beach 27820 82823
North River Shores 27222 80276
North Sarasota 27357 82522
North Weeki Wachee 28554 82555
Northdale 28105 82528
Oak Ridge 28473 81417
Oakland Park 26179 80152
Oakleaf Plantation 30174 81836
Ocala Estates 29202 82310
Ocean Breeze 27241 80226
Ocean City 30440 86607
Ocean Ridge 26531 80047
Ocklawaha 29046 81935
Odessa 28182 82550
Ojus 25955 80171
Okeechobee 27242 80829
Old Miakka 27319 82279
Olga 26708 81693
Olympia Heights 25728 80339
On Top of the World 29106 82287
Ona 27483 81910
Opa-locka 25900 80255
Orange Park 30171 81705
Orangetree 26293 81576
Orchid 27772 80424
Oriole Beach 30372 87100
Orlando 28409 81255
Orlovista 28544 81463
Ormond Beach 29293 81101
Ormond-by-the-Sea 29343 81069
Pace 30617 87165
Page Park 26578 81861
Paisley 28979 81532
Palm Aire 26206 80192
Palm Bay 27965 80658
Palm Beach Gardens 26849 80167
Palm Beach Shores 26777 80034
Palm River-Clair Mel 27924 82379
Palm Shores 28192 80659
Palm Springs 26636 80098
Palm Springs North 25934 80331
Palm Valley 30201 81391
Palmer Ranch 27223 82461
Palmetto Bay 25622 80319
Palmetto Estates 25623 80361
Palmona Park 26689 81894
Panama City 30166 85670
Paradise Heights 28624 81544
Parker 30128 85600
Parkland 26321 80254
Pasadena Hills 28280 82241
Patrick Space Force Base 28232 80610
Pea Ridge 30599 87100
Pebble Creek 28160 82342
Pelican Bay 26235 81810
Pelican Marsh 26254 81786
Pembroke Park 25989 80180
Pembroke Pines 26015 80340
Pensacola 30441 87191
Pensacola Station 30351 87317
Perry 30109 83582
Pine Air 26659 80107
Pine Castle 28455 81370
Pine Hills 28582 81470
Pine Island 28572 82655
Pine Island Center 26624 82127
Pine Island Ridge 26095 80274
Pine Lakes 28940 81431
Pine Level 30889 87169
Pine Manor 26574 81878
Pine Ridge 28933 82476
Pinecraft 27323 82501
Pinecrest 25665 80305
Pinewood 25869 80217
Pioneer 26729 81217
Pittman 28998 81649
Placid Lakes 27241 81407
Plantation Island 25848 81377
Plantation Key 24972 80552
Plantation Mobile Home Park 26703 80132
Poinciana 28119 81479
Point Baker 30687 87052
Pompano Beach 26242 80134
Pompano Beach Highlands 26283 80107
Ponce Inlet 29093 80932
Ponce de Leon 30724 85937
Ponte Vedra Beach 30240 81386
Port Charlotte 26989 82114
Port LaBelle 26761 81384
Port St. Joe 29818 85309
Port St. John 28476 80810
Port St. Lucie 27281 80388
Pretty Bayou 30200 85698
Princeton 25541 80398
Progress Village 27886 82364
Punta Gorda 26864 82032
Punta Gorda Isles 26918 82078
Punta Rassa 26500 82002
Quail Ridge 28349 82555
Quincy 30566 84586
Raiford 30064 82241
Rainbow Lakes Estates 29160 82510
Rainbow Park 29165 82364
Rainbow Springs 29097 82442
Raleigh 29448 82468
Ramrod Key 24661 81407
Reddick 29369 82198
Redington Beach 27809 82812
Redington Shores 27832 82833
Richmond Heights 25633 80371
Richmond West 25609 80430
Ridge Manor 28493 82190
Ridge Wood Heights 27286 82512
Ridgecrest 27889 82806
Rio 27216 80241
Rio Pinar 28519 81261
River Park 27323 80332
River Ridge 28267 82626
Riverview 27824 82304
Riviera Beach 26781 80076
Rock Island 26155 80177
Roeville 30685 86992
Roosevelt Gardens 26141 80181
Royal Palm Estates 26682 80133
Samoset 27476 82543
Samsula-Spruce Creek 29052 81062
San Carlos Park 26477 81820
San Castle 26565 80061
Sandalfoot Cove 26339 80187
Sandestin 30385 86330
Sarasota 27338 82544
Sarasota Springs 27309 82476
Sawgrass 30191 81371
Schall Circle 26715 80114
Scott Lake 25941 80232
Sea Ranch Lakes 26200 80098
Seaside 30321 86142
Sebastian 27788 80482
Seffner 28002 82274
Seminole Manor 26584 80101
Sewall's Point 27197 80199
Shady Hills 28403 82545
Sharpes 28444 80761
Siesta Key 27275 82549
Silver Lake 28832 81801
Silver Springs 29219 82056
Silver Springs Shores 29112 82015
Silver Springs Shores East 29049 81883
Singer Island 26790 80034
Sky Lake 28461 81390
Solana 26937 82030
South Apopka 28657 81506
South Bradenton 27461 82585
South Brooksville 28514 82438
South Daytona 29166 81006
South Gate Ridge 27284 82497
South Highpoint 27912 82711
South Miami 25709 80295
South Miami Heights 25588 80386
South Palm Beach 26590 80038
South Pasadena 27753 82739
South Patrick Shores 28204 80611
South Sarasota 27286 82533
South Venice 27045 82416
Southchase 28379 81390
Southeast Arcadia 27186 81852
Southgate 27305 82512
Southwest Ranches 26050 80374
Spring Lake 28498 82294
Spring Ridge 29822 82724
Springfield 30171 85612
St. Augustine 29896 81311
St. Augustine Beach 29842 81271
St. Augustine Shores 29806 81312
St. Augustine South 29845 81316
St. Cloud 28231 81275
St. George Island 29652 84890
St. James City 26543 82102
St. Johns 30082 81548
St. Leo 28336 82258
St. Lucie Village 27500 80342
St. Marks 30166 84208
St. Pete Beach 27717 82740
St. Petersburg 27763 82644
Stacey Street 26698 80124
Stock Island 24564 81740
Sugarloaf Key 24651 81525
Sugarmill Woods 28740 82506
Sun City Center 27714 82356
Suncoast Estates 26711 81869
Sunny Isles Beach 25939 80124
Sunrise 26172 80262
Sunset 25706 80352
Sunshine Ranches 26046 80329
Surfside 25879 80125
Sweetwater 25784 80387
Taft 28428 81368
Tamarac 26204 80256
Tamiami 25756 80403
Tangelo Park 28456 81446
Tarpon Springs 28149 82779
Tavares 28766 81756
Taylor Creek 27214 80791
Tedder 26284 80122
Temple Terrace 28043 82376
Tequesta 26965 80113
Terra Mar 26216 80095
The Acreage 26774 80277
The Crossings 25671 80401
The Hammocks 25670 80449
The Meadows 27363 82474
The Villages 28899 81994
Three Lakes 25643 80400
Three Oaks 26473 81797
Tice 26675 81817
Tierra Verde 27662 82724
Tiger Point 30380 87052
Tildenville 28541 81606
Timber Pines 28469 82602
Titusville 28573 80819
Town 'n' Country 28010 82577
Treasure Island 27765 82769
Trinity 28181 82647
Tropical Park 28381 80707
Tyndall Air Force Base 30089 85599
Union Park 28567 81238
University 28077 82433
University Park 25746 80368
Upper Grand Lagoon 30176 85753
Vamo 27220 82500
Venice Gardens 27074 82413
Verandah 26699 81740
Vernon 30612 85700
Vero Beach 27647 80393
Vero Beach South 27613 80418
Vero Lake Estates 27746 80528
Verona Walk 26086 81680
Viera 28244 80735
Viera East 28262 80715
Viera West 28245 80740
Vilano Beach 29930 81301
Villages of Oriole 26462 80153
Villas 26551 81868
Vineyards 26230 81728
Virginia Gardens 25810 80297
Wabasso Beach 27754 80398
Wahneta 27959 81729
Wallace 30673 87196
Warm Mineral Springs 27047 82270
Warrington 30384 87294
Washington Park 26132 80182
Watergate 26336 80213
Watertown 30186 82602
Waukeenah 30395 83976
Webster 28611 82049
Wedgefield 28486 81082
Weeki Wachee 28516 82573
Weeki Wachee Gardens 28537 82623
Wekiwa Springs 28700 81425
Wellborn 30231 82820
Wesley Chapel 28205 82317
West Bradenton 27501 82614
West Canaveral Groves 28393 80849
West DeLand 29016 81334
West Hollywood 26021 80184
West Lealman 27820 82739
West Little River 25857 80237
West Melbourne 28050 80658
West Miami 25758 80297
West Palm Beach 26745 80127
West Park 25979 80181
West Pensacola 30427 87268
West Perrine 25606 80364
West Samoset 27470 82555
West Vero Corridor 27635 80483
Westchase 28056 82608
Westchester 25745 80353
Westgate 26699 80099
Westlake 26755 80301
Weston 26100 80402
Westview 25882 80242
Westville 30771 85838
Westwood Lakes 25725 80369
Wewahitchka 30126 85191
Whiskey Creek 26571 81889
White City 27372 80340
Whitfield 27411 82567
Wildwood 28806 82007
Williamsburg 28401 81448
Williston 29394 82442
Williston Highlands 29334 82536
Willow Oak 27922 82024
Wilton Manors 26159 80139
Winding Cypress 26062 81677
Windsor 27787 80414
Winter Haven 28046 81733
Winter Park 28597 81346
Winter Springs 28688 81270
Wiscon 28541 82466
Woodlawn Beach 30388 86996
World Golf Village 29968 81490
Wright 30444 86642
Yankeetown 29032 82763
Ybor City 27961 82441
Yeehaw Junction 27703 80884
Youngstown 30364 85438
Zephyrhills North 28252 82165
Zephyrhills South 28215 82188
Zephyrhills West 28231 82205
Zolfo Springs 27493 81787
`;
