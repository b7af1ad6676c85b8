import { describe, expect, it } from 'vitest';
import type { LikersFetch } from '../../../core/engagement/challenge-data/comment.ts';
import { RETAINED_KINDS, type RetainedKind } from '../../../core/ports/retention-store.ts';
import {
  later,
  newAuditAction,
  newConnectionRequest,
  newDelivery,
  newLiker,
  newWebhook,
  parallel,
  storedChallenge,
  storedLikersFetch,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const CUTOFF = later(1_000);
const old = later(999);
const young = later(1_001);

export function retentionStoreContract(create: () => Promise<StorageWorld>): void {
  describe('retention', () => {
    const stage = prepareStage(create);
    const many = () => stage.world.purged ?? 300;

    /** Takes steps until there are no more, as the caller does; returns how many records they removed. */
    async function purge(kind: RetainedKind, storage = stage.storage): Promise<number> {
      let removed = 0;
      let from: number | null = 0;
      for (let steps = 0; from !== null; steps += 1) {
        if (steps > 100) throw new Error('The steps do not end.');
        const step: { readonly removed: number; readonly next: number | null } = await storage.retention.purge(
          kind,
          CUTOFF,
          from,
        );
        removed += step.removed;
        from = step.next;
      }
      return removed;
    }

    it('nothing to purge is no step too many', async () => {
      for (const kind of RETAINED_KINDS) {
        expect(await stage.storage.retention.purge(kind, CUTOFF, 0)).toEqual({ removed: 0, next: null });
      }
    });

    it('deliveries that are over and old, in pieces; pending and younger ones stay', async () => {
      const { deliveries, webhooks } = stage.storage;
      const webhook = await webhooks.create(newWebhook(1));
      const over = (status: 'succeeded' | 'failed' | 'cancelled', createdAt = old) =>
        newDelivery(webhook.id, { status, createdAt, nextTryAt: null, finishedAt: createdAt });
      const [pending, ...gone] = await deliveries.createMany([
        newDelivery(webhook.id, { createdAt: old }),
        over('succeeded'),
        over('failed'),
        over('cancelled'),
        ...Array.from({ length: 600 }, () => over('succeeded')),
      ]);
      const kept = await deliveries.createMany([over('failed', CUTOFF), over('succeeded', young)]);
      const first = await stage.storage.retention.purge('deliveries', CUTOFF, 0);
      expect(first.removed).toBeLessThan(gone.length);
      expect(first.next).not.toBeNull();
      const rest = await parallel(2, (index) => purge('deliveries', stage.turn(index)));
      expect(first.removed + rest.reduce((sum, n) => sum + n, 0)).toBe(gone.length);
      const left = await stage.other.deliveries.list(webhook.id, { page: 1, limit: 100 });
      expect(left.items.map(({ id }) => id).reverse()).toEqual([pending, ...kept].map((one) => one?.id));
    });

    it('deliveries of subscribers that are old, pending ones too', async () => {
      const { subscribers, deliveries } = stage.storage;
      await subscribers.subscribe([{ subscriber: 'purged', event: '*' }]);
      const at = (createdAt: Date, changes = {}) => newDelivery('purged', { createdAt, ...changes });
      const done = { status: 'succeeded', nextTryAt: null, finishedAt: old } as const;
      await deliveries.createMany([at(old), at(old, done), at(young), at(young, done)]);
      expect(await purge('deliveries')).toBe(2);
      const left = await stage.other.deliveries.list('purged', { page: 1, limit: 10 });
      expect(left.items.map(({ createdAt }) => createdAt)).toEqual([young, young]);
    });

    it('an odd time in front hides nothing behind it', async () => {
      const { deliveries, webhooks } = stage.storage;
      const webhook = await webhooks.create(newWebhook(1));
      const at = (createdAt: Date) => newDelivery(webhook.id, { status: 'succeeded', createdAt });
      const [ahead, past] = await deliveries.createMany([at(later(10_000_000)), at(old)]);
      expect(await purge('deliveries')).toBe(1);
      expect(await deliveries.find(ahead?.id ?? 0)).not.toBeNull();
      expect(await deliveries.find(past?.id ?? 0)).toBeNull();
    });

    it('dead-lettered jobs; queued and running ones stay', async () => {
      const { jobs } = stage.storage;
      const job = (key: string) => ({ type: 'verify-attempt' as const, key, payload: { attemptId: 1 } });
      const deadLetter = async (createdAt: Date) => {
        await jobs.enqueue([job(unique('dead'))], createdAt);
        const [claimed] = await jobs.claim(['verify-attempt'], 1, createdAt, young);
        if (claimed) await jobs.deadLetter(claimed, 'never', createdAt);
      };
      await deadLetter(old);
      await deadLetter(old);
      await deadLetter(young);
      await jobs.enqueue([job(unique('running')), job(unique('queued'))], old);
      await jobs.claim(['verify-attempt'], 1, old, later(9_999));
      expect(await purge('jobs')).toBe(2);
      expect(await stage.other.jobs.stats(CUTOFF)).toEqual({ queued: 1, running: 1, dead: 1 });
    });

    it('snapshots of metrics but the latest of each challenge', async () => {
      const [one, two] = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      const { metrics } = stage.storage;
      const add = (challengeId: number, likeCount: number, fetchedAt: Date) =>
        metrics.add({
          challengeId,
          likeCount,
          commentCount: null,
          shareCount: null,
          viewCount: null,
          thumbnailUrl: null,
          fetchedAt,
        });
      // The latest of the first challenge is old and was added before an earlier one.
      for (const [likes, at] of [
        [1, T0],
        [3, old],
        [2, later(500)],
      ] as const) {
        await add(one, likes, at);
      }
      await add(two, 1, old);
      await add(two, 2, young);
      await add(two, 3, later(2_000));
      expect(await purge('metrics')).toBe(3);
      expect(await stage.world.count('metrics')).toBe(3);
      expect(await stage.other.metrics.latest(one)).toMatchObject({ likeCount: 3 });
      expect(await stage.other.metrics.latest(two)).toMatchObject({ likeCount: 3 });
    });

    it('fetches of likers, with them, once a newer one answers in their place', async () => {
      const make = async (challengeId: number, requestedAt: Date, status: LikersFetch['status'], count: number) => {
        const fetch = {
          challengeId,
          status,
          maxCount: 5_000,
          fetchedCount: count,
          totalLikes: null,
          errorMessage: null,
          warning: null,
          requestedAt,
          startedAt: requestedAt,
          finishedAt: null,
        };
        const stored = Array.from({ length: count }, () => newLiker());
        return storedLikersFetch(stage.storage, fetch, stored);
      };
      const [one, two] = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      const gone = [await make(one, T0, 'succeeded', 600), await make(one, later(1), 'failed', 0)];
      const completed = await make(one, later(2), 'succeeded', 2);
      gone.push(await make(one, later(3), 'running', 3));
      const latest = await make(one, later(4), 'failed', 0);
      const only = await make(two, T0, 'failed', 0);
      const expected = 600 + 1 + 1 + 3 + 1;
      expect(await purge('likers')).toBe(expected);
      for (const fetch of gone) expect(await stage.other.likers.findFetch(fetch.id)).toBeNull();
      expect(await stage.other.likers.findFetch({ challengeId: one, status: 'succeeded' })).toEqual(completed);
      expect(await stage.other.likers.findFetch({ challengeId: one })).toEqual(latest);
      expect(await stage.other.likers.findFetch({ challengeId: two })).toEqual(only);
      expect(await stage.world.count('likers')).toBe(2);
    });

    it('connection requests that expired, whatever came of them', async () => {
      const { connections } = stage.storage;
      const make = async (expiresAt: Date) => {
        const request = newConnectionRequest({ status: 'connected', expiresAt });
        await connections.create(request);
        return request.id;
      };
      const gone = await parallel(many(), () => make(old));
      const kept = await make(CUTOFF);
      expect(await purge('connections')).toBe(many());
      expect(await stage.other.connections.find(gone[0] ?? '')).toBeNull();
      expect(await stage.other.connections.find(kept)).not.toBeNull();
    });

    it('connection requests that expired and led to no account; connected and open ones stay', async () => {
      const { connections } = stage.storage;
      const make = async (status: 'pending' | 'failed' | 'connected', expiresAt: Date) => {
        const request = newConnectionRequest({ externalId: unique('creator'), status, expiresAt });
        await connections.create(request);
        return request.id;
      };
      const gone = await parallel(many(), (index) => make(index % 2 === 0 ? 'pending' : 'failed', old));
      const kept = [await make('connected', old), await make('pending', CUTOFF), await make('failed', young)];
      expect(await purge('unconnected')).toBe(many());
      expect(await stage.other.connections.find(gone[0] ?? '')).toBeNull();
      for (const id of kept) expect(await stage.other.connections.find(id)).not.toBeNull();
    });

    it('answers to requests whose idempotency keys expired', async () => {
      const { idempotency } = stage.storage;
      const claim = (key: string, expiresAt: Date) =>
        idempotency.claim({ key, fingerprint: 'same', lease: 'lease', leaseUntil: later(30), expiresAt }, T0);
      const gone = await parallel(many(), async (index) => {
        const key = unique('key');
        await claim(key, old);
        if (index % 2 === 0) await idempotency.end(key, 'lease', 'answer');
        return key;
      });
      const kept = unique('key');
      await claim(kept, CUTOFF);
      expect(await purge('idempotency')).toBe(many());
      expect(await claim(gone[0] ?? '', young)).toBeNull();
      expect(await claim(kept, young)).not.toBeNull();
    });

    it('entries of the audit log', async () => {
      const { audit } = stage.storage;
      const actor = unique('actor');
      await parallel(many(), () => audit.append(newAuditAction({ actor, at: old })));
      await audit.append(newAuditAction({ actor, at: CUTOFF }));
      expect(await purge('audit')).toBe(many());
      expect((await stage.other.audit.list({ actor }, { page: 1, limit: 10 })).total).toBe(1);
    });

    it('usage of months that ended before', async () => {
      const { usage, retention } = stage.storage;
      const key = unique('token');
      for (const period of ['2025-12', '2026-02', '2026-03']) await usage.add(key, period, { lookups: 1 });
      expect(await retention.purge('usage', new Date('2026-03-15T00:00:00Z'), 0)).toEqual({ removed: 2, next: null });
      expect(await stage.other.usage.between(key, '2025-01', '2027-01')).toEqual([
        expect.objectContaining({ period: '2026-03', counts: { lookups: 1 } }),
      ]);
    });
  });
}
