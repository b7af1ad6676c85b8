/** A platform that shows less than it counts: whole instances hand claims back, check them again, and find who was hidden. */
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { actingOn } from '../support/campaign.ts';
import type { JsonValue } from '../support/client.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createTestStorage, onMongo } from '../support/storage.ts';

const config = {
  secrets: { key: randomBytes(32) },
  // A quarter of an hour is 90 ms.
  delayScale: 0.0001,
};
const PATIENCE = { timeout: 15_000, interval: 50 };

type Post = ReturnType<TestInstance['world']['addPost']>;

const LONG_POST = {
  platform: 'instagram',
  owner: 'northtrail',
  comments: 551,
  placed: [{ handle: 'ada.runs', text: 'me too', index: 500 }],
};

/** Ends the list of comments after its first page of 50, and leaves the count of all as it is. Returns the way back. */
function cutShort({ thread }: Post): () => void {
  Object.defineProperty(thread, 'size', { value: 1, configurable: true });
  return () => void Reflect.deleteProperty(thread, 'size');
}

async function claimOn({ api, receiver }: TestInstance, { contentId }: Post, handles: readonly string[]) {
  const { make, campaign } = actingOn(api);
  const { hooks, challenge, takePart } = await campaign({ contentId, pointsReward: 1 });
  await make(hooks, { url: receiver.url, events: ['creator.verified', 'reward.issued', 'verification.failed'] });
  const paths: string[] = [];
  for (const handle of handles) paths.push(await takePart(handle));
  return { challengePath: challenge, paths };
}

const statesOf = (attempt: JsonValue | undefined) => {
  const history = attempt?.stateHistory as unknown as { state: string }[];
  return history.map(({ state }) => state);
};

await onMongo(() => {
  it('a list that ends early fails nobody: one of two processes checks each claim again, and decides it once all is shown', async () => {
    await using storage = await createTestStorage('mongodb');
    const world = createWorld('undecided');
    const options = { storageUrl: storage.url, world, config };
    await using first = await startInstance(options);
    await using _second = await startInstance(options);
    const { read, becomes } = actingOn(first.api);
    const post = world.addPost(LONG_POST);
    const showAll = cutShort(post);
    const { challengePath, paths } = await claimOn(first, post, ['ada.runs', 'ben.absent']);
    const refreshed = await first.api.call('POST', `${challengePath}/comments/refresh`);
    expect(refreshed.json.data).toEqual({
      totalFetched: 50,
      sweepStatus: 'swept',
      historyComplete: true,
      expectedTotal: 551,
      warning: 'The comments may not be all there are: only 50 of 551 comments could be read.',
    });
    for (const path of paths) {
      await vi.waitFor(async () => {
        const states = statesOf(await read(path));
        expect(states.filter((state) => state === 'awaiting_claim').length).toBeGreaterThan(1);
      }, PATIENCE);
      expect(await read(path)).toMatchObject({ retryCount: 0, lastVerificationAt: null, pointsAwarded: 0 });
    }
    expect(first.receiver.received).toEqual([]);

    showAll();
    const [ada = '', ben = ''] = paths;
    await becomes(ada, { state: 'rewarded' });
    await becomes(ben, { state: 'failed_retryable', retryCount: 0 });
    // Nobody has started a check twice: between two of them the claim was handed back.
    for (const path of paths) {
      const states = statesOf(await read(path));
      const pending = states.flatMap((state, index) => (state === 'verification_pending' ? [index] : []));
      expect(pending.every((index) => states[index + 1] !== 'verification_pending')).toBe(true);
    }
    const { byState } = (await read('/admin/campaigns/1/summary')) ?? {};
    expect(byState).toMatchObject({ rewarded: 1, failed_retryable: 1 });
  }, 60_000);
});
