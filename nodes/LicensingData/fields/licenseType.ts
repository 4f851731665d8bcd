import type { Choice } from './choice';

export const LICENSE_TYPES: Choice[] = [
	{ name: 'Beverage (BEV)', value: 'BEV' },
	{ name: 'Consumption on Premises (COP)', value: 'COP' },
	{ name: 'Food Service', value: 'FOOD_SERVICE' },
	{ name: 'Mobile Food', value: 'MOBILE_FOOD' },
	{ name: 'Package Sales (APS)', value: 'APS' },
	{ name: 'Seating', value: 'SEATING' },
	{ name: 'Special Restaurant (SRX)', value: 'SRX' },
];
