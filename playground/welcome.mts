import type { SavedWorkflow } from './client.mts';

type Named = Pick<SavedWorkflow, 'id' | 'name'>;

export interface Places {
	/** Of n8n, of the page of leads, and where workflows send leads. */
	n8n: string;
	page: string;
	leadsAddress: string;
	table: Named;
	leads: Named;
	own: Named;
	email: string;
	password: string;
	sandbox: {
		baseUrl: string;
		keys: { live: string; test: string };
		control: { url: string; token: string };
	};
	/** After how many seconds the register lists a day's worth more. */
	day: number;
}

/** What `npm start` prints once everything runs. */
export const welcome = (places: Places): string => {
	const { n8n, page, leadsAddress, table, leads, own, email, password, sandbox, day } = places;
	/** By the name that n8n's list shows. */
	const line = ({ id, name }: Named) => `${name.padEnd(27)}  ${n8n}/workflow/${id}`;
	return `
  Leads      ${page}
  Sign in    ${email}  ${password}
  Workflows  ${line(leads)}
               sends leads to the page above
             ${line(table)}
               writes leads into n8n's own table: ${n8n}/home/datatables
             ${line(own)}
               sends leads to ${leadsAddress} (POST, JSON); your other workflows can, too

  Service    made-up licenses, filed up to today. Every ${day} seconds, a day's worth of new ones is added.
             n8n has a credential for it already.
    Base URL   ${sandbox.baseUrl}
    Live key   ${sandbox.keys.live}   new licenses every ${day} seconds: use it for triggers
    Test key   ${sandbox.keys.test}   the same 500 licenses on every call
    Control    ${sandbox.control.url}   with the header 'X-Sandbox-Token: ${sandbox.control.token}'
               adds licenses, or makes the service fail (see sandbox/README.md)

  Try next: open "${own.name}", press + and look for Licensing Data. In a workflow that you import, set the
  trigger to Every Minute.
  For more leads, press "Add licenses" on the page of leads. The trigger looks once a minute, and some minutes bring
  none. New leads appear in this window and on the page. Ctrl-C stops everything.
`;
};
