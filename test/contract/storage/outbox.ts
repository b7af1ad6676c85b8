import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { advanced, eventEntry, jobEntry, later, NASTY_TEXTS, storedAttempt, storedChallenge } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

/** The outbox half of `AttemptStore`. */
export function outboxContract(create: () => Promise<StorageWorld>): void {
  describe('outbox', () => {
    const stage = prepareStage(create);

    it('pendingOutbox: the oldest first, at most so many attempts', async () => {
      const { attempts } = stage.storage;
      expect(await attempts.pendingOutbox(10)).toEqual([]);
      const challengeId = await storedChallenge(stage.storage);
      const stored = [];
      for (let user = 1; user <= 4; user++) stored.push(await storedAttempt(stage.storage, challengeId, user));
      const expected = [];
      for (const [index, at] of [2, 0, 3].entries()) {
        const before = stored[at];
        if (before === undefined) throw new Error('unreachable');
        const entries = [jobEntry(before.id), eventEntry(before.id)];
        await attempts.transition(before, advanced(before, { updatedAt: later(10 + index) }), entries);
        expected.push({ attemptId: before.id, entries });
      }
      expect(await attempts.pendingOutbox(10)).toEqual(expected);
      expect(await stage.other.attempts.pendingOutbox(2)).toEqual(expected.slice(0, 2));
    });

    it('outbox: entries come back whole, in the order written, until they are acknowledged', async () => {
      const challengeId = await storedChallenge(stage.storage);
      let attempt = await storedAttempt(stage.storage, challengeId, 1);
      const entries: OutboxEntry[] = [];
      for (const nasty of NASTY_TEXTS) {
        const pair = [eventEntry(attempt.id, { username: nasty }), jobEntry(attempt.id)];
        entries.push(...pair);
        const after = advanced(attempt, { updatedAt: later(1) });
        expect(await stage.storage.attempts.transition(attempt, after, pair)).toBe(true);
        attempt = after;
      }
      expect(await stage.other.attempts.outboxOf(attempt.id)).toEqual(entries);
      const [first, second, third, ...rest] = entries;
      await stage.storage.attempts.acknowledgeOutbox([
        { attemptId: attempt.id, entryIds: [first?.id ?? '', third?.id ?? '', 'unknown'] },
      ]);
      expect(await stage.other.attempts.outboxOf(attempt.id)).toEqual([second, ...rest]);
      await stage.storage.attempts.acknowledgeOutbox([]);
      await stage.storage.attempts.acknowledgeOutbox([{ attemptId: attempt.id, entryIds: [] }]);
      await stage.storage.attempts.acknowledgeOutbox([
        { attemptId: 987_654, entryIds: ['unknown'] },
        { attemptId: attempt.id, entryIds: entries.map((entry) => entry.id) },
      ]);
      expect(await stage.other.attempts.outboxOf(attempt.id)).toEqual([]);
      const pending = await stage.storage.attempts.pendingOutbox(1_000);
      expect(pending.map((one) => one.attemptId)).not.toContain(attempt.id);
    });

    it('an entry that arrives while others are acknowledged is never lost', async () => {
      const challengeId = await storedChallenge(stage.storage);
      let attempt = await storedAttempt(stage.storage, challengeId, 1);
      for (let round = 0; round < 10; round++) {
        const old = jobEntry(attempt.id);
        const next = jobEntry(attempt.id);
        const second = advanced(attempt, {});
        await stage.storage.attempts.transition(attempt, second, [old]);
        const third = advanced(second, {});
        await Promise.all([
          stage.storage.attempts.acknowledgeOutbox([{ attemptId: attempt.id, entryIds: [old.id] }]),
          stage.other.attempts.transition(second, third, [next]),
        ]);
        const pending = await stage.storage.attempts.pendingOutbox(10_000);
        expect(pending.find((one) => one.attemptId === attempt.id)?.entries).toEqual([next]);
        await stage.storage.attempts.acknowledgeOutbox([{ attemptId: attempt.id, entryIds: [next.id] }]);
        attempt = third;
      }
    });
  });
}
