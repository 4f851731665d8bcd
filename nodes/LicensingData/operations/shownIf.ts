import type { INodeProperties } from 'n8n-workflow';

import type { Show } from '../output/outputForm';

/** A parameter with one more condition under which the editor shows it. */
export const shownIf =
	(show: Show) =>
	(field: INodeProperties): INodeProperties => ({
		...field,
		displayOptions: { show: { ...show, ...field.displayOptions?.show } },
	});
