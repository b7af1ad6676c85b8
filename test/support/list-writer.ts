/** Writes comments and attempts without an end, for tests that kill it: `node list-writer.ts PATH CHALLENGE SEED`. */
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { newAttempt, newComment, T0 } from '../contract/storage/samples.ts';

const [path = '', challengeId = '', seed = ''] = process.argv.slice(2);
const storage = createSqliteStorage({ path });
await storage.open();
for (let round = 0; ; round += 1) {
  const id = `${seed}-${round}`;
  const comments = Array.from({ length: 600 }, (_, n) => newComment({ platformCommentId: `${id}-${n}` }));
  await Promise.all([
    storage.comments.insertNew(Number(challengeId), comments, T0),
    storage.attempts.create(newAttempt(Number(challengeId), Number(seed) * 1_000_000 + round + 1), []),
  ]);
  process.stdout.write(`${id}\n`);
}
