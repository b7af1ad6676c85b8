/** A process that copies a whole store is killed, again and again; the next one continues, and this one ends the copy. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { copyStore } from '../../core/maintenance/copy-store.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { contentOf, storeVictims, type Victims } from '../security/storage-attacks.ts';
import { bundled } from '../support/bundled-host.ts';
import { startChild } from '../support/child-host.ts';
import { createTestStorage, onMongo, type StorageKind, type TestStorage } from '../support/storage.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** While it copies, and while it compares. Each process continues where the one before it died. */
const DEATHS = [
  ['to.write', 'before', '5'],
  ['to.write', 'after', '5'],
  ['to.write', 'amid', '4'],
  ['to.read', 'after', '20'],
] as const;
type Death = (typeof DEATHS)[number];
/** What MongoDB may do in another way: it leaves a part of a write behind. */
const DEATHS_ON_MONGODB = DEATHS.filter(([, when]) => when === 'amid');

const made: TestStorage[] = [];
let source: TestStorage;
let victims: Victims;
let content: unknown;

beforeAll(async () => {
  source = await createTestStorage('sqlite');
  made.push(source);
  const storage = source.create();
  await storage.open();
  victims = await storeVictims(storage);
  content = await contentOf(storage, victims);
  await storage.close();
});
afterAll(async () => {
  for (const one of made) await one.close();
});

/** Copies from one store to a new one, through these deaths. */
async function copyThroughDeaths(from: TestStorage, kind: StorageKind, deaths: readonly Death[]): Promise<void> {
  const to = await createTestStorage(kind);
  made.push(to);
  const script = await bundled('test/faults/copy-process.ts');
  for (const death of deaths) {
    const child = startChild({ script, args: [from.url, to.url, ...death] });
    expect(await child.exit(), child.stderr()).toBe('SIGKILL');
  }
  const [source, storage] = [storageOf(from.url), storageOf(to.url)];
  for (const each of [source, storage]) await each.open();
  // Both ends are equal, or it would reject.
  const totals = await copyStore({ from: source.records, to: storage.records });
  await source.close();
  expect(totals.find(({ kind }) => kind === 'attempts')?.count).toBeGreaterThan(0);
  expect(await contentOf(storage, victims)).toEqual(content);
  await storage.close();
}

it('a copy to SQLite that is killed at several points ends with everything, once', async () => {
  await copyThroughDeaths(source, 'sqlite', DEATHS);
});

await onMongo(() => {
  it('a copy to MongoDB that is killed amid a write ends with everything, once', async () => {
    await copyThroughDeaths(source, 'mongodb', DEATHS_ON_MONGODB);
  });
});
