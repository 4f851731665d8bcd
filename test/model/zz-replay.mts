import { play } from './player.mts';
import { Situations } from './situations.mts';
import { World } from './world.mts';
const h = JSON.parse(process.argv[2]);
const limits = process.argv[3]==='crowded' ? { events: 40, pages: 8, newAtOnce: 12 } : { events: 3000, pages: 400, newAtOnce: 500 };
const orig = World.prototype.page;
World.prototype.page = function (q, c) { const p = orig.call(this, q, c); if ((globalThis as any).n++ < 30) console.log(new Date(this.now).toISOString(), q.event_type, c, p?.shown.map(e=>e.event).join(' '), '->', p?.cursor, p?.total); return p; };
(globalThis as any).n = 0;
console.log(await play(h, limits, new Situations()));
