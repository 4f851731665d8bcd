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
	/** About the service. */
	about: string;
	/** True if its licenses are made up, and more of them are added when asked. */
	isMadeUp: boolean;
}

const MORE = `  For more leads, press "Add licenses" on the page of leads. The trigger looks once a minute, and some minutes bring
  none. `;
const DAILY = `  The trigger looks once a minute; the state's files change once a day or once a week.
  `;

/** What `npm start` prints once everything runs. */
export const welcome = (places: Places): string => {
	const { n8n, page, leadsAddress, table, leads, own, email, password, about, isMadeUp } = places;
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

  Service    ${about}

  Try next: open "${own.name}", press + and look for Licensing Data. In a workflow that you import, set the
  trigger to Every Minute.
${isMadeUp ? MORE : DAILY}New leads appear in this window and on the page. Ctrl-C stops everything.
`;
};
