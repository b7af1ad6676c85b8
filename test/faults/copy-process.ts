/**
 * Copies a store in a process that kills itself: `copy-process.ts FROM TO CALL WHEN SKIP`, the last three as a `CrashPoint`.
 * `amid` kills while a write is under way.
 */
import { copyStore } from '../../core/maintenance/copy-store.ts';
import type { CopyEnd } from '../../core/ports/copy-end.ts';
import { copyEndOf } from './copy-end-of.ts';
import { type CrashPoint, createBombs } from './crash-point.ts';

/** Small pages: many places to die at. */
const PAGE_SIZE = 2;

const [fromUrl = '', toUrl = '', call = '', when, skip] = process.argv.slice(2);
const bombs = createBombs(() => undefined);
if (when !== 'amid') {
  bombs.arm([{ call, when: when as CrashPoint['when'], skip: Number(skip) }]);
}
const [from, to] = [copyEndOf(fromUrl), copyEndOf(toUrl)];
for (const end of [from, to]) await end.open();
await copyStore({
  from,
  to: bombs.instance(0).watch('to', when === 'amid' ? dyingAmid(to) : to),
  source: fromUrl,
  pageSize: PAGE_SIZE,
});
for (const end of [from, to]) await end.close();

/** Begins a write and dies soon after, at no certain point of it. */
function dyingAmid(end: CopyEnd): CopyEnd {
  let writes = 0;
  return {
    ...end,
    async write(...args) {
      const isLast = writes++ === Number(skip);
      if (isLast) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1);
      await end.write(...args);
      if (isLast) await new Promise<never>(() => undefined);
    },
  };
}
