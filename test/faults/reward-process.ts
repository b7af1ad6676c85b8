/** Issues rewards at a time that it shares with other processes: `reward-process.ts STORAGE_URL START ATTEMPT…`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { issueReward } from '../../core/engagement/attempts/issue-reward.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';

const [url = '', start = '', ...attempts] = process.argv.slice(2);
const storage = storageOf(url);
await storage.open();
const run = issueReward({
  storage,
  clock: { now: () => new Date() },
  random: systemRandom,
  relay: { handOver: async () => {} },
});
await sleep(Number(start) - Date.now());
for (const attemptId of attempts) await run({ attemptId: Number(attemptId) });
await storage.close();
