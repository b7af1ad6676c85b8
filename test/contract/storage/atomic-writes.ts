import { describe, expect, it, type TestContext } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import {
  advanced,
  announced,
  countComments,
  createAttempt,
  eventEntry,
  jobEntry,
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newDelivery,
  newSweep,
  newWebhook,
  outboxOf,
  storedAttempt,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type RecordKind, type StorageWorld } from './world.ts';

interface Call<Scene> {
  /** What the call writes as one. */
  readonly kinds: readonly RecordKind[];
  prepare(storage: Storage): Promise<Scene>;
  act(storage: Storage, scene: Scene): Promise<unknown>;
  /** What stands of it, as another process sees it. */
  observe(storage: Storage, scene: Scene): Promise<unknown>;
  /** All that may ever be observed: first as it was, last as it becomes. */
  readonly states: readonly unknown[];
  /** Where a start may have to finish what was cut short. */
  readonly afterStart?: true;
}

/** What is written together stands together: each call is made to fail at each of its writes. */
export function atomicWritesContract(create: () => Promise<StorageWorld>): void {
  describe('writes that belong together', () => {
    const stage = prepareStage(create);

    async function stands<Scene>({ skip }: TestContext, call: Call<Scene>): Promise<void> {
      const faults = stage.world.faults?.(call.kinds);
      if (faults === undefined) return skip('The world of this storage has no faults.');
      const seenBy = async (scene: Scene) =>
        call.observe(call.afterStart ? await stage.world.open() : stage.other, scene);
      for (const fault of faults) {
        const scene = await call.prepare(stage.storage);
        expect(await call.observe(stage.other, scene), 'as prepared').toEqual(call.states[0]);
        const disarm = await fault.arm();
        const outcome = await call.act(stage.storage, scene).then(
          () => 'went through',
          () => 'failed',
        );
        await disarm();
        if (fault.certain) expect(outcome, fault.name).toBe('failed');
        const failed = outcome === 'failed';
        expect(failed ? call.states : call.states.slice(-1), fault.name).toContainEqual(await seenBy(scene));
        if (!failed) return;
        await call.act(stage.storage, scene);
        expect(await call.observe(stage.other, scene), `${fault.name}, repeated`).toEqual(call.states.at(-1));
      }
    }

    const attemptOf = async (storage: Storage, challengeId: number, userId: number) => {
      const attempt = await storage.attempts.find({ challengeId: challengeId, userId: userId });
      const outbox = attempt === null ? [] : await outboxOf(storage.outbox, attempt.id);
      return attempt === null ? 'none' : `${attempt.state}, ${outbox.length} entries`;
    };

    it('attempts.create: the attempt and its outbox', (context) =>
      stands(context, {
        kinds: ['attempts', 'outbox'],
        prepare: storedChallenge,
        act: (storage, id) => createAttempt(storage.attempts, newAttempt(id, 1), [eventEntry(1), jobEntry(1)]),
        observe: (storage, id) => attemptOf(storage, id, 1),
        states: ['none', 'created, 2 entries'],
      }));

    it('attempts.createMany: each attempt and its outbox', (context) =>
      stands(context, {
        kinds: ['attempts', 'outbox'],
        prepare: storedChallenge,
        act: (storage, challengeId) =>
          storage.attempts.create(
            [1, 2].map((user) => ({ attempt: newAttempt(challengeId, user), outbox: (id) => [jobEntry(id)] })),
          ),
        observe: async (storage, id) => [await attemptOf(storage, id, 1), await attemptOf(storage, id, 2)],
        states: [
          ['none', 'none'],
          ['created, 1 entries', 'none'],
          ['none', 'created, 1 entries'],
          ['created, 1 entries', 'created, 1 entries'],
        ],
      }));

    it('attempts.transition: the state and its outbox', (context) =>
      stands(context, {
        kinds: ['attempts', 'outbox'],
        prepare: async (storage) => storedAttempt(storage, await storedChallenge(storage), 1),
        act: ({ attempts }, before) =>
          attempts.transition(before, advanced(before, { state: 'verified', pointsAwarded: 5, updatedAt: later(1) }), [
            eventEntry(before.id),
            jobEntry(before.id),
          ]),
        observe: async ({ attempts, outbox }, { id }) => {
          const attempt = await attempts.find(id);
          const entries = (await outboxOf(outbox, id)).map(({ kind }) => kind);
          return [attempt?.state, attempt?.pointsAwarded, attempt?.revision, ...entries];
        },
        states: [
          ['created', 0, 0],
          ['verified', 5, 1, 'event', 'job'],
        ],
      }));

    // Counted past the adapter, which may show neither without the other.
    const counted = (...kinds: readonly RecordKind[]) => Promise.all(kinds.map((kind) => stage.world.count(kind)));

    it('campaigns.create: the campaign and its challenge', (context) =>
      stands(context, {
        kinds: ['campaigns', 'challenges'],
        prepare: () => counted('campaigns', 'challenges'),
        act: (storage) => storage.campaigns.create(newCampaign(), newChallenge()),
        observe: async (_, before) =>
          (await counted('campaigns', 'challenges')).map((count, index) => count - (before[index] ?? 0)),
        states: [
          [0, 0],
          [1, 1],
        ],
      }));

    it('campaigns.delete: all that hangs on the challenge, once the next process has started', (context) =>
      stands(context, {
        kinds: ['campaigns', 'comments', 'sweeps'],
        async prepare(storage) {
          const [comments = 0, sweeps = 0] = await counted('comments', 'sweeps');
          const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge());
          await storage.comments.insertNew(challenge.id, [newComment()], T0, newSweep(challenge.id));
          return { id: campaign.id, comments, sweeps };
        },
        act: ({ campaigns }, { id }) => campaigns.delete(id),
        async observe({ campaigns }, before) {
          const [comments = 0, sweeps = 0] = await counted('comments', 'sweeps');
          const stands = (await campaigns.find(before.id)) !== null;
          return [stands, comments - before.comments, sweeps - before.sweeps];
        },
        states: [
          [true, 1, 1],
          [false, 0, 0],
        ],
        afterStart: true,
      }));

    it('webhooks.delete: the webhook and its log, once the next process has started', (context) =>
      stands(context, {
        kinds: ['webhooks', 'deliveries'],
        async prepare(storage) {
          const [deliveries = 0] = await counted('deliveries');
          const { id } = await storage.webhooks.create(newWebhook(1));
          await storage.deliveries.createMany([newDelivery(id), newDelivery(id)]);
          return { id, deliveries };
        },
        act: ({ webhooks }, { id }) => webhooks.delete(1, id),
        async observe({ webhooks }, before) {
          const [deliveries = 0] = await counted('deliveries');
          // Not `findById`: a process may remember for a moment what another one has deleted.
          return [(await webhooks.find(before.id, 1)) !== null, deliveries - before.deliveries];
        },
        states: [
          [true, 2],
          [false, 0],
        ],
        afterStart: true,
      }));

    it('comments.insertNew: progress with the last comments or after them, never before', (context) =>
      stands(context, {
        kinds: ['comments', 'sweeps'],
        prepare: storedChallenge,
        act: ({ comments }, id) => comments.insertNew(id, [newComment(), newComment()], T0, newSweep(id)),
        observe: async ({ comments }, id) => [
          (await countComments(comments, id)) > 0,
          (await comments.sweep(id))?.cursor ?? 'no progress',
        ],
        states: [
          [false, 'no progress'],
          [true, 'no progress'],
          [true, 'next'],
        ],
      }));

    it('comments.insertNew: no progress before the last of many comments', async () => {
      const id = await storedChallenge(stage.storage);
      const unfit = newComment({ commentedAt: new Date(Number.NaN) });
      const comments = [...Array.from({ length: 1_001 }, () => newComment()), unfit];
      await expect(stage.storage.comments.insertNew(id, comments, T0, newSweep(id))).rejects.toThrow();
      expect(await stage.other.comments.sweep(id)).toBeNull();
    });

    it('creators.link: never an account without its creator; repeated, it finds what is there', (context) =>
      stands(context, {
        kinds: ['creators', 'accounts'],
        prepare: async () => linkInput(),
        act: ({ creators }, input) => creators.link(input),
        async observe({ creators }, { externalId, handle }) {
          const creator = await creators.find({ externalId });
          const linked = await creators.findByHandle('instagram', handle);
          return [creator !== null, linked.map(({ account }) => account.creatorId === creator?.id)];
        },
        states: [
          [false, []],
          [true, []],
          [true, [true]],
        ],
      }));

    it('creators.link: the proof and its event', (context) =>
      stands(context, {
        kinds: ['accounts', 'outbox'],
        prepare: async ({ creators }) => {
          const input = linkInput();
          await creators.link(input);
          return { ...input, ownershipProven: true, platformAccountId: unique('9'), announce: announced };
        },
        act: ({ creators }, input) => creators.link(input),
        async observe({ creators, outbox }, { handle }) {
          const [linked] = await creators.findByHandle('instagram', handle);
          const own = (await outbox.pending(1_000)).find(
            ({ owner }) => owner === `socialAccounts:${linked?.account.id}`,
          );
          return [linked?.account.ownershipProven, own?.entries.map(({ id }) => id)];
        },
        states: [
          [false, undefined],
          [true, [expect.stringMatching(/^connected_/)]],
        ],
      }));
  });
}
