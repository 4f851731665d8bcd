import { parseArgs } from 'node:util';
import { resume } from './campaign.mts';
import { modes } from './modes.mts';

const { values } = parseArgs({
	options: {
		mode: { type: 'string', multiple: true },
		kills: { type: 'string', default: '30' },
		triggers: { type: 'string', default: '10' },
	},
});
const chosen = modes.filter(({ name }) => values.mode?.includes(name) ?? true);
for (const mode of chosen) {
	await resume({
		mode,
		kills: Number(values.kills),
		triggers: Number(values.triggers),
		report: (line) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`),
	});
}
