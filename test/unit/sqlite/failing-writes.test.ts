import { expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { newComment, newSweep, storedChallenge, T0 } from '../../contract/storage/samples.ts';

it('a statement that fails halfway leaves nothing of its write, and the write beside it stands', async () => {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  const id = await storedChallenge(storage);
  const unfit = { ...newComment(), commentText: null as never };
  const some = (length: number) => Array.from({ length }, () => newComment());
  const refused = [...some(20), unfit, ...some(9)];
  const results = await Promise.allSettled([
    storage.comments.insertNew(id, refused, T0, newSweep(id)),
    storage.comments.insertNew(id, [newComment()], T0),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect((await storage.comments.page(id, { page: 1, limit: 50 })).items).toHaveLength(1);
  expect(await storage.comments.sweep(id)).toBeNull();
  await storage.close();
});
