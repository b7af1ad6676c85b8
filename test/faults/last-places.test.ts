/** Twenty processes reward at the same time, and the campaign has fewer places left. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import { releaseHeld } from '../../core/engagement/attempts/release-held.ts';
import type { NewJob } from '../../core/ports/job-queue.ts';
import { linkInput, newCampaign, newChallenge, storedAttempt, T0 } from '../contract/storage/samples.ts';
import { bundled } from '../support/bundled-host.ts';
import { startChild } from '../support/child-host.ts';
import { eachStorage, openTestStorage } from '../support/storage.ts';

const PROCESSES = 20;

await eachStorage((kind) => {
  it.each([1, 5])('pays as many as there are places left: %i', { timeout: 180_000 }, async (left) => {
    const script = await bundled('test/faults/reward-process.ts');
    const made = await openTestStorage(kind);
    try {
      const { storage } = made;
      const { campaign, challenge } = await storage.campaigns.create(
        newCampaign({ limits: { maxRewards: left + 2 } }),
        newChallenge(),
      );
      const ids: number[] = [];
      for (let index = 0; index < PROCESSES + 2; index += 1) {
        const { creator } = await storage.creators.link(linkInput());
        const verified = { state: 'verified', verifiedAt: T0 } as const;
        ids.push((await storedAttempt(storage, challenge.id, creator.id, verified)).id);
      }
      /** In a process for each; all have opened the storage before one begins. */
      const pay = async (...shares: readonly (readonly number[])[]) => {
        const args = shares.map((attempts) => [made.url, ...attempts.map(String)]);
        const children = args.map((each) => startChild({ script, ipc: true, args: each }));
        await Promise.all(children.map((child) => Promise.race([once(child.process, 'message'), child.exit()])));
        for (const { process } of children) process.send('begin');
        for (const child of children) expect(await child.exit(), child.stderr()).toBe(0);
      };
      await pay(ids.splice(0, 2));
      // Each attempt in two processes.
      await pay(...ids.map((id, index) => [id, ids[(index + 1) % PROCESSES] ?? id]));

      const read = () => Promise.all(ids.map((id) => storage.attempts.find(id)));
      const isPaid = (one: Attempt | null) => one?.state === 'rewarded';
      const atOnce = (await read()).filter(isPaid).length;
      expect(atOnce).toBeLessThanOrEqual(left);
      // Two runs of one attempt may have met: then one of them gave a place back that the next sweep gives away.
      const swept: NewJob[] = [];
      await releaseHeld({ storage, queue: { enqueue: async (jobs) => void swept.push(...jobs) } })();
      for (
        let next = swept.flatMap(({ payload }) => (('attemptId' in payload) ? [payload.attemptId] : []));
        next.length > 0;
      ) {
        await pay(next);
        const pending = (await storage.outbox.pending(1_000)).filter(({ owner }) =>
          next.some((id) => owner === `attempts:${id}`),
        );
        next = pending.flatMap(({ entries }) =>
          entries.flatMap((one) => (one.kind === 'job' ? [one.job.attemptId] : [])),
        );
      }
      const after = await read();
      const rewarded = after.filter(isPaid);
      const held = after.filter((one) => one?.held?.why === 'limit');
      const events = (await storage.outbox.pending(1_000)).flatMap(({ entries }) => entries);
      const issued = events.filter((entry) => entry.kind === 'event' && entry.event.event === 'reward.issued');
      const used = await storage.places.used(`rewards:campaign:${campaign.id}`);
      const totals = { processes: PROCESSES, left, atOnce, rewarded: rewarded.length, held: held.length, used };
      console.info(`${kind}:`, totals);
      expect(totals).toEqual({
        processes: PROCESSES,
        left,
        atOnce,
        rewarded: left,
        held: PROCESSES - left,
        used: left + 2,
      });
      expect(issued).toHaveLength(left + 2);
    } finally {
      await made.close();
    }
  });
});
