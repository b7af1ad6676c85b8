/** Issues rewards when it is told to, so that several begin at once: `reward-process.ts STORAGE_URL ATTEMPT…`. */
import { once } from 'node:events';
import { issueReward } from '../../core/engagement/attempts/issue-reward.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { REGISTRY } from '../support/platforms.ts';

const [url = '', ...attempts] = process.argv.slice(2);
const storage = storageOf(url);
await storage.open();
const run = issueReward({
  storage,
  platforms: REGISTRY,
  clock: { now: () => new Date() },
  random: systemRandom,
  relay: { handOver: async () => {} },
});
process.send?.('ready');
await once(process, 'message');
for (const attemptId of attempts) await run({ attemptId: Number(attemptId) });
await storage.close();
process.disconnect();
