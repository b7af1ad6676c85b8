/** Twenty processes reward at the same time, and the campaign has fewer places left. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import { releaseHeld } from '../../core/engagement/attempts/release-held.ts';
import type { NewJob } from '../../core/ports/job-queue.ts';
import { linkInput, newCampaign, newChallenge, storedAttempt, T0 } from '../contract/storage/samples.ts';
import { bundled } from '../support/bundled-host.ts';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { eachStorage, openTestStorage } from '../support/storage.ts';

const PROCESSES = 20;

/** For all tests: to start a process takes far longer than what it does. Each opens the storage again for a round. */
let processes: readonly ChildHost[] = [];
beforeAll(async () => {
  const script = await bundled('test/faults/reward-process.ts');
  processes = Array.from({ length: PROCESSES }, () => startChild({ script, ipc: true }));
});
afterAll(() => Promise.all(processes.map((each) => each.stop())));

/** Waits for the answer. @throws Error with what the process wrote if it ends instead */
async function ask({ process, exit, stderr }: ChildHost, message: string | object): Promise<void> {
  process.send(message);
  const ended = exit().then((code) => {
    throw new Error(`The process ended with ${code}: ${stderr()}`);
  });
  await Promise.race([once(process, 'message'), ended]);
}

await eachStorage((kind) => {
  it.each([1, 5])('pays as many as there are places left: %i', { timeout: 180_000 }, async (left) => {
    await using made = await openTestStorage(kind);
    const { storage } = made;
    const limits = { maxRewards: left + 2 };
    const { campaign, challenge } = await storage.campaigns.create(newCampaign({ limits }), newChallenge());
    const ids: number[] = [];
    for (let index = 0; index < PROCESSES + 2; index += 1) {
      const { creator } = await storage.creators.link(linkInput());
      const verified = { state: 'verified', verifiedAt: T0 } as const;
      ids.push((await storedAttempt(storage, challenge.id, creator.id, verified)).id);
    }
    /** In a process for each; all have opened the storage before one begins. */
    const pay = async (...shares: readonly (readonly number[])[]) => {
      const paying = processes.slice(0, shares.length);
      await Promise.all(paying.map((one, index) => ask(one, [made.url, shares[index] ?? []])));
      await Promise.all(paying.map((one) => ask(one, 'begin')));
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
    let next = swept.flatMap(({ payload }) => ('attemptId' in payload ? [payload.attemptId] : []));
    while (next.length > 0) {
      await pay(next);
      const owners = next.map((id) => `attempts:${id}`);
      const pending = (await storage.outbox.pending(1_000)).filter(({ owner }) => owners.includes(owner));
      const entries = pending.flatMap((one) => one.entries);
      next = entries.flatMap((one) => (one.kind === 'job' ? [one.job.attemptId] : []));
    }
    const after = await read();
    const rewarded = after.filter(isPaid);
    const held = after.filter((one) => one?.held?.why === 'limit');
    const events = (await storage.outbox.pending(1_000)).flatMap(({ entries }) => entries);
    const issued = events.filter((entry) => entry.kind === 'event' && entry.event.event === 'reward.issued');
    const used = await storage.places.used(`rewards:campaign:${campaign.id}`);
    const totals = { left, atOnce, rewarded: rewarded.length, held: held.length, used };
    console.info(`${kind}:`, totals);
    expect(totals).toEqual({ left, atOnce, rewarded: left, held: PROCESSES - left, used: left + 2 });
    expect(issued).toHaveLength(left + 2);
  });
});
