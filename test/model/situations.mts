/** What histories must run into to prove something. A run in which one of these never occurs fails. */
export const SITUATIONS = [
	'a page that failed',
	'a page that never came',
	'a rate limit',
	'a cursor refused',
	'a backlog',
	'a first reading that goes on with the next poll',
	'a process lost in the middle of a poll',
	'n8n stopped between its two writes',
	'a batch that n8n lost',
	'another main process',
	'a main process that leads again',
	'changed filters',
	'a key of the other kind',
	'a bulk addition',
	'a name that was corrected',
	'an ID that changed',
	'an ID that was used again',
	'a record of two versions',
	'a transfer',
	'a list that stood still for weeks',
	'a list that is cut',
	'a page of another server',
	'a record without its county',
	'a record without its event',
] as const;

export type Situation = (typeof SITUATIONS)[number];
