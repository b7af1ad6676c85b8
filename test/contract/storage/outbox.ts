import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import type { LinkInput, PendingAccountOutbox } from '../../../core/ports/creator-store.ts';
import {
  advanced,
  announced,
  eventEntry,
  jobEntry,
  later,
  linkInput,
  NASTY_TEXTS,
  outboxOf,
  parallel,
  storedAttempt,
  storedChallenge,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

/** The outboxes of `AttemptStore` and `CreatorStore`. */
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
      expect(await outboxOf(stage.other.attempts, attempt.id)).toEqual(entries);
      const [first, second, third, ...rest] = entries;
      await stage.storage.attempts.acknowledgeOutbox([
        { attemptId: attempt.id, entryIds: [first?.id ?? '', third?.id ?? '', 'unknown'] },
      ]);
      expect(await outboxOf(stage.other.attempts, attempt.id)).toEqual([second, ...rest]);
      await stage.storage.attempts.acknowledgeOutbox([]);
      await stage.storage.attempts.acknowledgeOutbox([{ attemptId: attempt.id, entryIds: [] }]);
      await stage.storage.attempts.acknowledgeOutbox([
        { attemptId: 987_654, entryIds: ['unknown'] },
        { attemptId: attempt.id, entryIds: entries.map((entry) => entry.id) },
      ]);
      expect(await outboxOf(stage.other.attempts, attempt.id)).toEqual([]);
      const pending = await stage.storage.attempts.pendingOutbox(1_000);
      expect(pending.map((one) => one.attemptId)).not.toContain(attempt.id);
    });

    it('an entry that arrives while others are acknowledged is never lost', async () => {
      const challengeId = await storedChallenge(stage.storage);
      let attempt = await storedAttempt(stage.storage, challengeId, 1);
      for (let round = 0; round < 4; round++) {
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

    /** A proof by the creator that is announced. */
    const proof = (changes: Partial<LinkInput> = {}) =>
      linkInput({ ownershipProven: true, platformAccountId: unique('9'), announce: announced, ...changes });
    const handedOver = (pending: readonly PendingAccountOutbox[]) =>
      pending.map(({ accountId, entries }) => ({ accountId, entryIds: entries.map(({ id }) => id) }));

    it('the event of a proven link waits, the oldest first, until it is acknowledged', async () => {
      const { creators } = stage.storage;
      await creators.link(linkInput({ announce: announced }));
      expect(await creators.pendingOutbox(10)).toEqual([]);
      const links = [];
      for (const seconds of [3, 1, 2]) links.push(await creators.link(proof({ now: later(seconds) })));
      for (const [index, externalId] of NASTY_TEXTS.entries()) {
        const { outcome, ...linked } = await stage.other.creators.link(proof({ externalId, now: later(10 + index) }));
        expect(outcome).toBe('created');
        links.push(linked);
      }
      const expected = links.map((linked) => ({ accountId: linked.account.id, entries: [announced(linked)] }));
      const [third, first, second, ...rest] = expected;
      const pending = await stage.other.creators.pendingOutbox(100);
      expect([...pending].sort((a, b) => a.accountId - b.accountId)).toEqual(expected);
      expect(pending.slice(3)).toEqual(rest);
      expect(await creators.pendingOutbox(1)).toEqual(pending.slice(0, 1));
      expect(pending.slice(0, 3)).toEqual(expect.arrayContaining([first, second, third]));

      await creators.acknowledgeOutbox([{ accountId: first?.accountId ?? 0, entryIds: ['unknown'] }]);
      await creators.acknowledgeOutbox([]);
      await creators.acknowledgeOutbox([...handedOver(rest), { accountId: 987_654, entryIds: ['unknown'] }]);
      expect(await stage.other.creators.pendingOutbox(100)).toEqual(pending.slice(0, 3));
      await creators.acknowledgeOutbox(handedOver(pending));
      expect(await stage.other.creators.pendingOutbox(100)).toEqual([]);
    });

    it('an event that waits is stored once, also if the link is repeated, and again after it was handed over', async () => {
      const { creators } = stage.storage;
      const input = proof();
      await parallel(6, (index) => stage.turn(index).creators.link(input));
      const [pending, ...others] = await creators.pendingOutbox(10);
      expect(others).toEqual([]);
      expect(pending?.entries).toHaveLength(1);
      await creators.link({ ...input, announce: (linked) => ({ ...announced(linked), id: 'another' }) });
      const [both] = await stage.other.creators.pendingOutbox(10);
      expect(both?.entries.map(({ id }) => id)).toEqual([pending?.entries[0]?.id, 'another']);
      await creators.acknowledgeOutbox(handedOver(pending === undefined ? [] : [pending]));
      expect((await creators.pendingOutbox(10))[0]?.entries).toMatchObject([{ id: 'another' }]);
      await creators.link(input);
      expect((await creators.pendingOutbox(10))[0]?.entries).toHaveLength(2);
      await creators.disconnect(input, later(5));
      await creators.acknowledgeOutbox(handedOver(await creators.pendingOutbox(10)));
      await creators.link(input);
      expect((await creators.pendingOutbox(10))[0]?.entries).toHaveLength(1);
    });
  });
}
