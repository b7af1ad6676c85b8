/** Issues rewards when it is told to, so that several processes begin at once. It does so again and again, until it is stopped. */
import { once } from 'node:events';
import { issueReward } from '../../core/engagement/attempts/issue-reward.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { REGISTRY } from '../support/platforms.ts';

for (;;) {
  // The answer says that the storage is open; the next message begins.
  const [[url, attempts]] = (await once(process, 'message')) as [[url: string, attempts: readonly number[]]];
  const storage = storageOf(url);
  await storage.open();
  const relay = { handOver: async () => {} };
  const run = issueReward({ storage, platforms: REGISTRY, clock: systemClock, random: systemRandom, relay });
  process.send?.('ready');
  await once(process, 'message');
  for (const attemptId of attempts) await run({ attemptId });
  await storage.close();
  process.send?.('done');
}
