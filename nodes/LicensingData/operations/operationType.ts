import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ReadParameter } from '../filters/filter';
import type { License } from '../licenses/license';
import type { Service } from '../service/client';
import type { Run } from '../service/waitAllowance';

/** What an action may know about the execution that it runs in, and tell it. */
export interface Execution {
	/** Its requests. */
	run: Run;
	/** Puts a license into the form that 'Output' asks for. */
	toItem(license: License): INodeExecutionData;
	/** Shows the user a line above the output. */
	hint(line: string): void;
	/** Shows it, and writes it to n8n's log, for whoever runs n8n. */
	warn(line: string): void;
	/** Stores files. */
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>;
	/** Of the workflow, such as America/New_York. */
	timeZone: string;
}

/** One operation of the License resource: what it asks the user for, and then the service. */
export interface OperationType<Parameters = unknown> {
	/** In the list of operations. */
	name: string;
	/** In the nodes panel, and what AI agents read. */
	action: string;
	/** Below its name. */
	description: string;
	/** Its own parameters, shown for it alone. */
	fields: INodeProperties[];
	/** True if it has the parameter 'Output', for licenses that become items with `toItem`. */
	hasOutput?: boolean;
	/** True if it looks up licenses that somebody has in mind, and does not list what is there. */
	looksUp?: boolean;
	/** True if it reads lists: it then has 'Filters' and 'Parallel Requests'. */
	readsLists?: boolean;
	/** Turns the parameters into plain data, or refuses them. Items for which they are equal share one run. */
	readParameters(read: ReadParameter, timeZone: string): Parameters;
	/** Yields items in batches, as pages come in. The next node gets them all together, at the end. */
	run(
		service: Service,
		parameters: Parameters,
		execution: Execution,
	): AsyncIterable<INodeExecutionData[]>;
}
