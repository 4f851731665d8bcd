import fc from 'fast-check';
import { histories } from '/work/main/test/model/history.mts';
import { play } from '/work/main/test/model/player.mts';
import { Situations, SITUATIONS, CROWDED_SITUATIONS } from '/work/main/test/model/situations.mts';
const runs = Number(process.argv[2]); const seed = Number(process.argv[3]);
const limits = process.argv[4]==='crowded' ? { events: 40, pages: 8, newAtOnce: 12 } : { events: 3000, pages: 400, newAtOnce: 500 };
const s = new Situations(); const sum={polls:0,requests:0,emitted:0,largestState:0};
const r = await fc.check(fc.asyncProperty(histories, async (h) => { const p = await play(h, limits, s); for (const k of Object.keys(sum)) sum[k]=k==='largestState'?Math.max(sum[k],p[k]):sum[k]+p[k]; if (p.violations.length) throw new Error(p.violations.slice(0,5).join('\n')); }), { numRuns: runs, seed, endOnFailure: process.argv[5]==='fast' });
if (r.failed) { console.log(JSON.stringify(r.counterexample[0], null, 0)); console.log(r.errorInstance?.stack?.slice(0,1500)); console.log('runs', r.numRuns, 'shrinks', r.numShrinks); }
console.log(sum); for (const x of [...SITUATIONS,...CROWDED_SITUATIONS]) console.log(x, s.count(x));
