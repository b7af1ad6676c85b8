import { describe, expect, it } from 'vitest';
import type { NewAttempt, SignalName } from '../../../core/engagement/attempts/attempt.ts';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../../core/engagement/attempts/deadline.ts';
import {
  ATTEMPT_STATE_NAMES,
  type AttemptState,
  isBeingVerified,
  statesThatTake,
  statesWhere,
} from '../../../core/engagement/attempts/states.ts';
import type { ParticipantFilter, RewardsOf } from '../../../core/ports/attempt-store.ts';
import type { WaitingCursor } from '../../../core/ports/waiting.ts';
import {
  advanced,
  createAttempt,
  endCampaignAt,
  eventEntry,
  jobEntry,
  later,
  linkInput,
  NASTY_OBJECT,
  newAttempt,
  newCampaign,
  newChallenge,
  outboxOf,
  parallel,
  storedAttempt,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

/** Open, and no verification under way. */
const IDLE: readonly AttemptState[] = statesWhere((rules) => rules.open && !isBeingVerified(rules));

export function attemptStoreContract(create: () => Promise<StorageWorld>): void {
  describe('attempts', () => {
    const stage = prepareStage(create);

    it('come back as they were stored, with every field', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const attempt = newAttempt(challengeId, 3, {
        state: 'verified',
        retryCount: 2,
        lastVerificationAt: later(1),
        verificationDeadline: later(2),
        recheck: { at: later(5), count: 4, why: 'only 1 of 9\u0000' },
        stateHistory: [
          { state: 'created', at: T0, reason: 'created' },
          { state: 'verified', at: later(1), reason: 'forced\u0000by an admin' },
        ],
        metadata: NASTY_OBJECT,
        matchedComment: { commentText: 'nice \u{1F600}', commentedAt: later(-5) },
        pointsAwarded: 5,
        verifiedAt: later(1),
        rewardedAt: later(3),
        updatedAt: later(3),
      });
      const result = await createAttempt(stage.storage.attempts, attempt, []);
      if (result.kind !== 'created') throw new Error(result.kind);
      const { metadata, ...rest } = result.attempt;
      const { metadata: given, ...expected } = attempt;
      expect(rest).toEqual({ ...expected, id: result.attempt.id });
      expect(JSON.stringify(metadata)).toBe(JSON.stringify(given));
      expect(Object.keys(metadata)).toContain('__proto__');
      expect(await stage.other.attempts.find(result.attempt.id)).toEqual(result.attempt);
      expect(await stage.other.attempts.find({ challengeId: challengeId, userId: 3 })).toEqual(result.attempt);
      expect(await stage.other.attempts.find({ challengeId: challengeId, userId: 4 })).toBeNull();
      expect(await stage.other.attempts.find(987_654)).toBeNull();
    });

    it('of concurrent creates for one creator and challenge exactly one creates', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const before = await stage.world.count('attempts');
      const results = await parallel(40, (index) => {
        const { attempts } = stage.turn(index);
        return createAttempt(attempts, newAttempt(challengeId, 8), [eventEntry(0)]);
      });
      expect(results.filter((one) => one.kind === 'created')).toHaveLength(1);
      expect(results.filter((one) => one.kind === 'exists')).toHaveLength(39);
      const ids = new Set(results.map((one) => (one.kind === 'challenge-gone' ? 0 : one.attempt.id)));
      expect(ids.size).toBe(1);
      expect(await stage.world.count('attempts')).toBe(before + 1);
      expect(await outboxOf(stage.storage.outbox, [...ids][0] ?? 0)).toHaveLength(1);
    });

    it('leaderboard: the creators of a brand by their points, then by id', async () => {
      const { attempts, creators } = stage.storage;
      const brandId = 770_002;
      const mine = [
        await storedChallenge(stage.storage, { brandId }),
        await storedChallenge(stage.storage, { brandId }),
      ];
      const foreign = await storedChallenge(stage.storage, { brandId: 770_003 });
      const known = (
        await creators.link(linkInput({ displayName: 'Ann', profileData: { profile_pic_url: 'https://a/b' } }))
      ).creator;
      const award = (challengeId: number, userId: number, pointsAwarded: number) =>
        createAttempt(attempts, newAttempt(challengeId, userId, { pointsAwarded }), []);
      await award(mine[0] as number, 880_002, 7);
      await award(mine[0] as number, 880_001, 7);
      await award(mine[0] as number, known.id, 5);
      await award(mine[1] as number, known.id, 4);
      await award(mine[1] as number, 880_003, 0);
      await award(foreign, 880_001, 100);
      const unknown = { externalId: '', displayName: null, avatarUrl: null };
      const ann = { externalId: known.externalId, displayName: 'Ann', avatarUrl: 'https://a/b' };
      expect(await stage.other.attempts.leaderboard(brandId, { page: 1, limit: 9 })).toEqual({
        items: [
          { userId: known.id, ...ann, points: 9, rewards: 2 },
          { userId: 880_001, ...unknown, points: 7, rewards: 1 },
          { userId: 880_002, ...unknown, points: 7, rewards: 1 },
        ],
        total: 3,
      });
      expect(await attempts.leaderboard(987_654, { page: 1, limit: 9 })).toEqual({ items: [], total: 0 });
    });

    it('series: by hour or day, of a challenge, a brand or all; a range begins with `from` and ends before `to`', async () => {
      const brandId = 770_001;
      const [one, two] = [await storedChallenge(stage.storage, { brandId }), await storedChallenge(stage.storage)];
      const [at, HOUR] = [new Date('2031-05-01T23:00:00Z'), 3_600_000];
      const add = (challengeId: number, userId: number, minutes: readonly number[], pointsAwarded = 0) => {
        const [created, verifiedAt = null, rewardedAt = null] = minutes.map(
          (minute) => new Date(at.getTime() + minute * 60_000),
        );
        const times = { createdAt: created ?? at, verifiedAt, rewardedAt, pointsAwarded };
        return createAttempt(stage.storage.attempts, newAttempt(challengeId, userId, times), []);
      };
      await add(one, 1, [0, 59.9, 60], 7);
      await add(one, 2, [59.9, 60, 61], 5);
      await add(one, 3, [-0.1, 120]);
      await add(two, 1, [30]);
      const series = async (by: 'hour' | 'day', hours: number, filter = {}) => {
        const range = { by, from: at, to: new Date(at.getTime() + hours * HOUR) };
        const found = await stage.other.attempts.series(range, filter);
        return Object.fromEntries(
          found.map((each) => [`${each.at.toISOString().slice(0, 13)} ${each.name}`, each.count]),
        );
      };
      const first = { '2031-05-01T23 attempts': 2, '2031-05-01T23 verifications': 1 };
      expect(await series('hour', 1, { challengeId: one })).toEqual(first);
      const both = { '2031-05-02T00 verifications': 1, '2031-05-02T00 rewards': 2, '2031-05-02T00 points': 12 };
      expect(await series('hour', 2, { brandId })).toEqual({ ...first, ...both });
      expect(await series('hour', 2)).toEqual({ ...first, ...both, '2031-05-01T23 attempts': 3 });
      expect(await series('hour', 2, { challengeId: two, brandId })).toEqual({});
      const days = Object.entries({ ...first, ...both }).map(([key, n]) => [key.replace(/T../, 'T00'), n]);
      expect(await series('day', 2, { challengeId: one })).toEqual(Object.fromEntries(days));
    });

    it('adds up the points of a creator by brand, and lists the rewards alone', async () => {
      const [userId, brands] = [770_010, [770_011, 770_012]];
      const add = async (brandId: number | undefined, pointsAwarded: number, rewardedAt: Date | null = later(1)) => {
        const challengeId = await storedChallenge(stage.storage, { brandId: brandId ?? 0 });
        return (await storedAttempt(stage.storage, challengeId, userId, { pointsAwarded, rewardedAt })).id;
      };
      const first = [await add(brands[0], 7), await add(brands[0], 5)];
      await add(brands[0], 0, null);
      const second = await add(brands[1], 0);
      const { attempts } = stage.other;
      const [none, zero] = [{ rewardedBy: { brandId: 770_013 } }, { brandId: 770_012, points: 0 }];
      expect(await attempts.pointsByBrand(userId, { rewardedBy: 'all' })).toEqual([
        { brandId: 770_011, points: 12 },
        zero,
      ]);
      expect(await attempts.pointsByBrand(userId, { rewardedBy: { brandId: 770_012 } })).toEqual([zero]);
      expect(await attempts.pointsByBrand(userId, none)).toEqual([]);
      const listed = async (rewardedBy: RewardsOf['rewardedBy']) => {
        const { items, total } = await attempts.ofCreator(userId, { page: 1, limit: 9 }, { rewardedBy });
        expect(total).toBe(items.length);
        return items.map(({ id }) => id);
      };
      expect(await listed('all')).toEqual([second, ...first.toReversed()]);
      expect(await listed({ brandId: 770_011 })).toEqual(first.toReversed());
      expect(await listed(none.rewardedBy)).toEqual([]);
    });

    it('create: challenge-gone for a challenge that is not there', async () => {
      expect(await createAttempt(stage.storage.attempts, newAttempt(987_654, 1), [])).toEqual({
        kind: 'challenge-gone',
      });
    });

    it('create: results in input order, those that exist left alone, the outbox knows the id', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const old = await storedAttempt(stage.storage, challengeId, 2, { metadata: { old: true } });
      const input = (userId: number) => ({
        attempt: newAttempt(challengeId, userId),
        outbox: (attemptId: number) => [jobEntry(attemptId), eventEntry(attemptId)],
      });
      const results = await stage.storage.attempts.create([1, 2, 3, 3].map(input));
      expect(results.map((one) => one.kind)).toEqual(['created', 'exists', 'created', 'exists']);
      expect(results[1]).toEqual({ kind: 'exists', attempt: old });
      for (const result of [results[0], results[2]]) {
        if (result?.kind !== 'created') throw new Error('not created');
        const [job, event] = await outboxOf(stage.other.outbox, result.attempt.id);
        expect(job).toMatchObject({ kind: 'job', job: { attemptId: result.attempt.id } });
        expect(event).toMatchObject({ kind: 'event', event: { data: { attemptId: result.attempt.id } } });
      }
      expect(await outboxOf(stage.storage.outbox, old.id)).toEqual([]);
      const again = await stage.storage.attempts.create([1, 2, 3].map(input));
      expect(again.map((one) => one.kind)).toEqual(['exists', 'exists', 'exists']);
      expect(await stage.storage.attempts.create([])).toEqual([]);
      const gone = await stage.storage.attempts.create([{ attempt: newAttempt(987_654, 1), outbox: () => [] }]);
      expect(gone).toEqual([{ kind: 'challenge-gone' }]);
    });

    it('create: concurrent calls with overlapping creators create each attempt once', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const before = await stage.world.count('attempts');
      const results = await parallel(3, (index) => {
        const inputs = Array.from({ length: 270 }, (_, n) => ({
          attempt: newAttempt(challengeId, n + 1 + index * 50),
          outbox: (attemptId: number) => [jobEntry(attemptId)],
        }));
        return stage.turn(index).attempts.create(inputs);
      });
      const created = results.flat().filter((one) => one.kind === 'created');
      expect(created).toHaveLength(370);
      expect(await stage.world.count('attempts')).toBe(before + 370);
      expect(results.flat().every((one) => one.kind !== 'challenge-gone')).toBe(true);
    });

    it('transition: of concurrent callers one writes, with its outbox entries; the others change nothing', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const before = await storedAttempt(stage.storage, challengeId, 1);
      const entries = Array.from({ length: 20 }, () => eventEntry(before.id));
      const results = await parallel(20, (index) => {
        const after = advanced(before, {
          state: 'verified',
          retryCount: index,
          verifiedAt: later(index),
          updatedAt: later(index),
        });
        return stage.turn(index).attempts.transition(before, after, entries.slice(index, index + 1));
      });
      expect(results.filter((one) => one)).toHaveLength(1);
      const winner = results.indexOf(true);
      expect(await stage.storage.attempts.find(before.id)).toEqual({
        ...before,
        state: 'verified',
        retryCount: winner,
        verifiedAt: later(winner),
        updatedAt: later(winner),
        revision: 1,
      });
      expect(await outboxOf(stage.storage.outbox, before.id)).toEqual([entries[winner]]);
    });

    it('transition: of many attempts at once each tells whether it was made, also if others were faster', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const attempts = await parallel(12, (userId) => storedAttempt(stage.storage, challengeId, 1 + userId));
      const moves = attempts.map((before) => ({ before, after: advanced(before, { updatedAt: later(1) }) }));
      // Every third one is gone on from by then, twice.
      for (const { before, after } of moves.filter((_, index) => index % 3 === 0)) {
        const faster = advanced(before, { state: 'target_opened', updatedAt: later(2) });
        expect(await stage.storage.attempts.transition(before, faster, [])).toBe(true);
        expect(await stage.storage.attempts.transition(after, advanced(after, {}), [])).toBe(true);
      }
      const made = await Promise.all(
        moves.map(({ before, after }) => stage.storage.attempts.transition(before, after, [jobEntry(before.id)])),
      );
      expect(made).toEqual(moves.map((_, index) => index % 3 !== 0));
      for (const [index, { after }] of moves.entries()) {
        const entries = await outboxOf(stage.storage.outbox, after.id);
        expect(entries).toHaveLength(index % 3 === 0 ? 0 : 1);
        if (index % 3 !== 0) expect(await stage.storage.attempts.find(after.id)).toEqual(after);
      }
    });

    it('transition: false for a stale revision and for an attempt that is not there', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const first = await storedAttempt(stage.storage, challengeId, 1);
      const second = advanced(first, { state: 'target_opened' });
      expect(await stage.storage.attempts.transition(first, second, [])).toBe(true);
      expect(await stage.storage.attempts.transition(first, second, [jobEntry(first.id)])).toBe(false);
      expect(await outboxOf(stage.storage.outbox, first.id)).toEqual([]);
      const ghost = { ...first, id: 987_654 };
      expect(await stage.storage.attempts.transition(ghost, advanced(ghost, {}), [])).toBe(false);
      await expect(stage.storage.attempts.transition(second, second, [])).rejects.toThrow('revision');
    });

    it('creatorsWithAttempt', async () => {
      const user = 5_000;
      const challenges = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      for (const challengeId of challenges) await storedAttempt(stage.storage, challengeId, user);
      const those = await stage.storage.attempts.creatorsWithAttempt(challenges[0] ?? 0, [user + 1, user, 1]);
      expect(those).toEqual(new Set([user]));
      expect(await stage.storage.attempts.creatorsWithAttempt(challenges[0] ?? 0, [])).toEqual(new Set());
    });

    it('participants: by the last change and then by id, both ways', async () => {
      const { attempts } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      for (const [user, changed] of [2, 1, 3, 1].entries()) {
        await createAttempt(attempts, newAttempt(challengeId, user + 1, { updatedAt: later(changed) }), []);
      }
      const listed = async (sort: ParticipantFilter['sort']) => {
        const { items } = await attempts.participants(challengeId, 'tiktok', { sort }, { page: 1, limit: 9 });
        return items.map(({ attempt }) => attempt.userId);
      };
      expect(await listed('updatedAt')).toEqual([2, 4, 1, 3]);
      expect(await listed('-updatedAt')).toEqual([3, 1, 4, 2]);
      expect(await listed('-id')).toEqual([4, 3, 2, 1]);
    });

    it('participants: those with a signal', async () => {
      const { attempts } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const signalled = (userId: number, state: AttemptState, signals?: readonly SignalName[]) =>
        storedAttempt(stage.storage, challengeId, userId, { state, ...(signals && { signals }) });
      await signalled(1, 'verified', ['shared-account', 'burst']);
      await signalled(2, 'rewarded', ['burst']);
      await signalled(3, 'rewarded', ['same-text']);
      await signalled(4, 'rewarded');
      const listed = async (filter: ParticipantFilter) => {
        const { items, total } = await attempts.participants(challengeId, 'tiktok', filter, { page: 1, limit: 1 });
        return [total, items[0]?.attempt.userId];
      };
      expect(await listed({ signal: 'burst' })).toEqual([2, 1]);
      expect(await listed({ signal: 'burst', state: 'rewarded' })).toEqual([1, 2]);
      expect(await listed({ signal: 'same-text', userIds: [1, 3, 4] })).toEqual([1, 3]);
      expect(await listed({ signal: 'new-account' })).toEqual([0, undefined]);
    });

    it('participants: attempts by id with the most recently connected handle, active ones first', async () => {
      const { creators, attempts } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const input = linkInput({ now: later(1) });
      const { creator } = await creators.link(input);
      const newest = unique('newest');
      await creators.link({ ...input, handle: newest, now: later(3) });
      const middle = unique('middle');
      await creators.link({ ...input, handle: middle, now: later(2) });
      await creators.disconnect({ ...input, handle: newest }, later(4));
      const left = linkInput();
      const lapsed = (await creators.link({ ...left, now: later(2) })).creator;
      const last = unique('last');
      await creators.link({ ...left, handle: last, now: later(3) });
      for (const handle of [left.handle, last]) await creators.disconnect({ ...left, handle }, later(4));
      const bare = (await creators.link(linkInput({ platform: 'tiktok', displayName: null }))).creator;
      const first = await storedAttempt(stage.storage, challengeId, creator.id, { state: 'verified', verifiedAt: T0 });
      const second = await storedAttempt(stage.storage, challengeId, bare.id);
      const third = await storedAttempt(stage.storage, challengeId, lapsed.id);
      const rows = [
        {
          attempt: first,
          externalId: input.externalId,
          displayName: 'A Creator',
          platform: 'instagram',
          platformUsername: middle,
        },
        {
          attempt: second,
          externalId: bare.externalId,
          displayName: null,
          platform: 'instagram',
          platformUsername: null,
        },
        {
          attempt: third,
          externalId: left.externalId,
          displayName: 'A Creator',
          platform: 'instagram',
          platformUsername: last,
        },
      ];
      const all = await attempts.participants(challengeId, 'instagram', {}, { page: 1, limit: 10 });
      expect(all).toEqual({ items: rows, total: 3 });
      const page = await attempts.participants(challengeId, 'instagram', {}, { page: 2, limit: 2 });
      expect(page).toEqual({ items: rows.slice(2), total: 3 });
      const verified = await attempts.participants(
        challengeId,
        'instagram',
        { state: 'verified' },
        { page: 1, limit: 10 },
      );
      expect(verified).toEqual({ items: rows.slice(0, 1), total: 1 });
      const none = await attempts.participants(challengeId, 'instagram', { state: 'rewarded' }, { page: 1, limit: 10 });
      expect(none).toEqual({ items: [], total: 0 });
    });

    it('summary counts states, verified ones (ever) and points', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const empty = { byState: {}, totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPointsIssued: 0 };
      expect(await stage.storage.attempts.summary(challengeId)).toEqual(empty);
      await storedAttempt(stage.storage, challengeId, 1);
      await storedAttempt(stage.storage, challengeId, 2);
      await storedAttempt(stage.storage, challengeId, 3, { state: 'verified', verifiedAt: T0 });
      for (const user of [4, 5]) {
        const rewarded = { state: 'rewarded', verifiedAt: T0, rewardedAt: T0, pointsAwarded: 25 } as const;
        await storedAttempt(stage.storage, challengeId, user, rewarded);
      }
      expect(await stage.storage.attempts.summary(challengeId)).toEqual({
        byState: { created: 2, verified: 1, rewarded: 2 },
        totalAttempts: 5,
        totalVerified: 3,
        totalRewarded: 2,
        totalPointsIssued: 50,
      });
    });

    it('due for expiry: open attempts past their deadline, by id, in pages', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const expected: number[] = [];
      for (const [index, state] of ATTEMPT_STATE_NAMES.entries()) {
        const past = await storedAttempt(stage.storage, challengeId, index + 1, {
          state,
          verificationDeadline: later(-10),
        });
        if (IDLE.includes(state)) expected.push(past.id);
      }
      await storedAttempt(stage.storage, challengeId, 100, { verificationDeadline: later(1_000) });
      await storedAttempt(stage.storage, challengeId, 101, { verificationDeadline: null });
      const overdue = async (at: Date, limit: number, afterId?: number) =>
        (
          await stage.storage.attempts.due(
            'expiry',
            at,
            limit,
            afterId === undefined ? undefined : { id: afterId, since: at },
          )
        ).map(({ id }) => id);
      expect(await overdue(T0, 100)).toEqual(expected);
      expect(await overdue(T0, 2)).toEqual(expected.slice(0, 2));
      expect(await overdue(T0, 2, expected[1])).toEqual(expected.slice(2, 4));
      expect(await overdue(T0, 1, expected[0])).toEqual(expected.slice(1, 2));
      expect(await overdue(T0, 2, expected.at(-1))).toEqual([]);
      expect(await overdue(later(-10), 100)).toEqual([]);
    });

    it('due for expiry: claimed attempts whose campaign has ended before their own deadline, wherever its end is moved', async () => {
      const { campaigns } = stage.storage;
      const make = async (endsAt: Date | null) => {
        const { campaign, challenge } = await campaigns.create(newCampaign({ endsAt }), newChallenge());
        const claimed = [];
        for (const [index, state] of ATTEMPT_STATE_NAMES.entries()) {
          const changes = { state, verificationDeadline: later(90_000) };
          claimed.push(await storedAttempt(stage.storage, challenge.id, index + 1, changes));
        }
        await storedAttempt(stage.storage, challenge.id, 100, { state: 'target_opened' });
        const open = claimed.filter(({ state }) => IDLE.includes(state));
        return { id: campaign.id, open: open.map(({ id }) => id) };
      };
      const overdue = async (at: Date, among: readonly number[], limit = 1_000) =>
        (await stage.other.attempts.due('expiry', at, limit)).map(({ id }) => id).filter((id) => among.includes(id));
      const [endless, reached, coming] = [await make(null), await make(later(80_000)), await make(later(80_001))];
      const all = [endless, reached, coming].flatMap(({ open }) => open);
      expect(await overdue(later(80_000), all)).toEqual([]);
      expect(await overdue(later(80_001), all)).toEqual(reached.open);
      await endCampaignAt(stage.storage, endless.id, later(80_000));
      expect(await overdue(later(80_000), all)).toEqual([]);
      expect(await overdue(later(80_001), all)).toEqual([...endless.open, ...reached.open]);
      expect(await overdue(later(80_002), all)).toEqual(all);
      await endCampaignAt(stage.storage, coming.id, later(70_000));
      expect(await overdue(later(70_001), all)).toEqual(coming.open);
      // Past both ends each is there once.
      expect(await overdue(later(95_000), all)).toEqual(all);
    });

    it('due for expiry: a verification under way has its grace, after its own deadline and after the end of its campaign', async () => {
      const { campaigns } = stage.storage;
      const start = later(200_000_000).getTime();
      const at = (ms: number) => new Date(start + ms);
      const make = async (endsAt: Date | null, verificationDeadline: Date) => {
        const { challenge } = await campaigns.create(newCampaign({ endsAt }), newChallenge());
        const pending = { state: 'verification_pending', verificationDeadline } as const;
        return (await storedAttempt(stage.storage, challenge.id, 1, pending)).id;
      };
      const own = await make(null, at(0));
      const ended = await make(at(10), at(VERIFICATION_WINDOW_MS));
      const furthest = await make(at(20), at(20 + VERIFICATION_WINDOW_MS));
      const both = await make(at(30), at(30));
      const all = [own, ended, furthest, both];
      const overdue = async (ms: number) =>
        (await stage.other.attempts.due('expiry', at(PENDING_GRACE_MS + ms), 1_000))
          .map(({ id }) => id)
          .filter((id) => all.includes(id));
      expect(await overdue(-1)).toEqual([]);
      expect(await overdue(0)).toEqual([own]);
      expect(await overdue(9)).toEqual([own]);
      expect(await overdue(10)).toEqual([own, ended]);
      expect(await overdue(29)).toEqual([own, ended, furthest]);
      // Past both ends each is there once, and between them none is lost.
      for (const ms of [30, VERIFICATION_WINDOW_MS, VERIFICATION_WINDOW_MS + 20, VERIFICATION_WINDOW_MS + 40]) {
        expect(await overdue(ms)).toEqual(all);
      }
    });

    it('due for a job: what a job has to move on and nothing has moved for a while, the longest wait first', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const long = later(-5_000_000);
      for (const [index, state] of ATTEMPT_STATE_NAMES.entries()) {
        await storedAttempt(stage.storage, challengeId, index + 1, { state, updatedAt: long });
      }
      const longest = await storedAttempt(stage.storage, challengeId, 50, {
        state: 'verified',
        updatedAt: later(-5_000_001),
      });
      await storedAttempt(stage.storage, challengeId, 51, { state: 'verified', updatedAt: later(-4_999_998) });
      const awaitingJobs = async (...asked: [at: Date, limit: number, after?: WaitingCursor]) =>
        (await stage.other.attempts.due('job', ...asked)).map(({ id, state, updatedAt }) => ({
          id,
          state,
          since: updatedAt,
        }));
      const waiting = await awaitingJobs(later(-4_999_999), 100);
      expect(waiting.map(({ state }) => state)).toEqual(['verified', ...statesWhere(({ awaits }) => awaits !== null)]);
      expect(waiting[0]).toEqual({ id: longest.id, state: 'verified', since: later(-5_000_001) });
      expect(await awaitingJobs(later(-4_999_999), 100, waiting[1])).toEqual(waiting.slice(2));
      expect(await awaitingJobs(later(-4_999_999), 1)).toEqual(waiting.slice(0, 1));
      expect(await awaitingJobs(long, 100)).toEqual(waiting.slice(0, 1));
    });

    it('due for a recheck: undecided claims whose time has come and that nobody checks, those due longest first', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const undecided = (userId: number, seconds: number, state: AttemptState) =>
        storedAttempt(stage.storage, challengeId, userId, {
          state,
          recheck: { at: later(seconds), count: 2, why: 'only 11 of 551 comments could be read' },
        });
      for (const [index, state] of ATTEMPT_STATE_NAMES.entries()) await undecided(index + 1, -9_000_000, state);
      const longest = await undecided(20, -9_000_001, 'awaiting_claim');
      await undecided(21, -8_999_998, 'awaiting_claim');
      await storedAttempt(stage.storage, challengeId, 22, { state: 'awaiting_claim' });
      const due = await stage.other.attempts.due('recheck', later(-8_999_999), 100);
      expect(due.map(({ state }) => state)).toEqual(['awaiting_claim', ...statesThatTake('recheck')]);
      expect(due[0]).toEqual(longest);
      expect(await stage.other.attempts.due('recheck', later(-8_999_999), 1)).toEqual([longest]);
      const cursor = { id: longest.id, since: later(-9_000_001) };
      expect(await stage.other.attempts.due('recheck', later(-8_999_999), 100, cursor)).toEqual(due.slice(1));
      expect(await stage.other.attempts.due('recheck', later(-9_000_001), 100)).toEqual([longest]);
      expect(await stage.storage.attempts.transition(longest, advanced(longest, { recheck: null }), [])).toBe(true);
      expect(await stage.other.attempts.due('recheck', later(-9_000_001), 100)).toEqual([]);
      expect(await stage.other.attempts.find(longest.id)).toMatchObject({ recheck: null });
    });

    it('keeps what was decided about a reward, and finds held attempts by the time of their check alone', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const decided = {
        held: { why: 'holding', since: T0, note: 'n' },
        checkAt: later(-9_500_000),
        entries: [{ at: T0, points: 5, reason: 'reward' }],
        review: { decision: 'hold', at: T0, reason: 'r', by: 'b' },
        signals: ['burst'],
        unmetRules: ['hashtags'],
        removedAt: T0,
      } as const;
      const changes = { state: 'verified', updatedAt: later(-9_600_000) } as const;
      const held = await storedAttempt(stage.storage, challengeId, 1, { ...changes, ...decided });
      expect(await stage.other.attempts.find(held.id)).toEqual(held);
      expect(held).toMatchObject(decided);
      const second = await storedAttempt(stage.storage, challengeId, 2, { checkAt: decided.checkAt });
      await storedAttempt(stage.storage, challengeId, 3, { checkAt: later(-9_400_000) });
      const check = (...rest: [at: Date, limit: number, after?: WaitingCursor]) =>
        stage.other.attempts.due('check', ...rest);
      expect(await check(decided.checkAt, 9)).toEqual([held, second]);
      expect(await check(decided.checkAt, 9, { id: held.id, since: decided.checkAt })).toEqual([second]);
      expect(await check(later(-9_500_001), 9)).toEqual([]);
      const awaiting = async () => (await stage.other.attempts.due('job', later(-9_599_999), 9)).map(({ id }) => id);
      expect(await awaiting()).not.toContain(held.id);
      const freed = advanced(held, { held: null, checkAt: null });
      expect(await stage.storage.attempts.transition(held, freed, [])).toBe(true);
      expect(await awaiting()).toContain(held.id);
      expect(await stage.other.attempts.find(held.id)).not.toHaveProperty('held');
      expect(await check(decided.checkAt, 9)).toEqual([second]);
    });

    it('inLine: held by a limit and for no other day, in the order of verification', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const other = await storedChallenge(stage.storage);
      const limit = { why: 'limit', since: T0 } as const;
      const store = (userId: number, changes: Partial<NewAttempt>, of = challengeId) =>
        storedAttempt(stage.storage, of, userId, { state: 'verified', verifiedAt: later(60), held: limit, ...changes });
      const [second, third] = [await store(1, {}), await store(2, {})];
      const first = await store(3, { verifiedAt: T0 });
      await store(4, { checkAt: later(60) });
      await store(5, { held: { why: 'review', since: T0 } });
      await store(6, { held: null });
      const ofOther = await store(7, {}, other);
      expect(await stage.other.attempts.inLine(challengeId, 9)).toEqual([first, second, third]);
      expect(await stage.other.attempts.inLine(challengeId, 2)).toEqual([first, second]);
      expect(await stage.other.attempts.challengesInLine(challengeId - 1, 9)).toEqual([challengeId, other]);
      expect(await stage.other.attempts.challengesInLine(challengeId - 1, 1)).toEqual([challengeId]);
      const paid = advanced(ofOther, { state: 'rewarded', held: null });
      expect(await stage.storage.attempts.transition(ofOther, paid, [])).toBe(true);
      expect(await stage.other.attempts.challengesInLine(challengeId, 9)).toEqual([]);
    });

    it('transition: of two processes that start the same check again one wins', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const recheck = { at: later(-9_000_000), count: 1, why: 'why' };
      const before = await storedAttempt(stage.storage, challengeId, 1, { state: 'awaiting_claim', recheck });
      const after = advanced(before, { state: 'verification_pending' });
      const won = await parallel(6, (index) =>
        stage.turn(index).attempts.transition(before, after, [jobEntry(before.id)]),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await outboxOf(stage.other.outbox, before.id)).toHaveLength(1);
    });
  });
}
