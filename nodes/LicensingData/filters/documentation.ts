/**
 * Where the editor's Docs link of a node leads. Without it, n8n takes the link from the node's .json file and
 * appends a question mark and more, which spoils the part after #.
 */
export const documentationOf = (heading: string): string =>
	`https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data/blob/main/docs/reference.md#${heading}`;
