/**
 * Copies a store in a process that kills itself: `copy-process.ts FROM TO CALL WHEN SKIP`, the last three as a `CrashPoint`.
 * `amid` kills while a write is under way.
 */
import { copyStore } from '../../core/maintenance/copy-store.ts';
import type { RecordStore } from '../../core/ports/record-store.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { type CrashPoint, createBombs } from './crash-point.ts';

/** Small pages: many places to die at. */
const PAGE_SIZE = 2;

const [fromUrl = '', toUrl = '', call = '', when, skip] = process.argv.slice(2);
const bombs = createBombs(() => undefined);
if (when !== 'amid') {
  bombs.arm([{ call, when: when as CrashPoint['when'], skip: Number(skip) }]);
}
const [from, to] = [storageOf(fromUrl), storageOf(toUrl)];
for (const storage of [from, to]) await storage.open();
await copyStore({
  from: from.records,
  to: bombs.instance(0).watch('to', when === 'amid' ? dyingAmid(to.records) : to.records),
  pageSize: PAGE_SIZE,
});
for (const storage of [from, to]) await storage.close();

/** Begins a write and dies soon after, at no certain point of it. */
function dyingAmid(records: RecordStore): RecordStore {
  let writes = 0;
  return {
    ...records,
    async write(...args) {
      const isLast = writes++ === Number(skip);
      if (isLast) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1);
      await records.write(...args);
      if (isLast) await new Promise<never>(() => undefined);
    },
  };
}
