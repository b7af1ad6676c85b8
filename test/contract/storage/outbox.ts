import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import type { LinkInput } from '../../../core/ports/creator-store.ts';
import type { PendingOutbox } from '../../../core/ports/outbox-store.ts';
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

/** What `AttemptStore`, `CreatorStore` and `CanaryStore` commit for the relay. */
export function outboxContract(create: () => Promise<StorageWorld>): void {
  describe('outbox', () => {
    const stage = prepareStage(create);

    it('pending: the oldest first, at most so many owners', async () => {
      const { attempts, outbox } = stage.storage;
      expect(await outbox.pending(10)).toEqual([]);
      const challengeId = await storedChallenge(stage.storage);
      const stored = [];
      for (let user = 1; user <= 4; user++) stored.push(await storedAttempt(stage.storage, challengeId, user));
      const expected = [];
      for (const [index, at] of [2, 0, 3].entries()) {
        const before = stored[at];
        if (before === undefined) throw new Error('unreachable');
        const entries = [jobEntry(before.id), eventEntry(before.id)];
        await attempts.transition(before, advanced(before, { updatedAt: later(10 + index) }), entries);
        expected.push({ owner: `attempts:${before.id}`, entries });
      }
      expect(await outbox.pending(10)).toEqual(expected);
      expect(await stage.other.outbox.pending(2)).toEqual(expected.slice(0, 2));
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
      expect(await outboxOf(stage.other.outbox, attempt.id)).toEqual(entries);
      const [first, second, third, ...rest] = entries;
      await stage.storage.outbox.acknowledge([
        { owner: `attempts:${attempt.id}`, entryIds: [first?.id ?? '', third?.id ?? '', 'unknown'] },
      ]);
      expect(await outboxOf(stage.other.outbox, attempt.id)).toEqual([second, ...rest]);
      await stage.storage.outbox.acknowledge([]);
      await stage.storage.outbox.acknowledge([{ owner: `attempts:${attempt.id}`, entryIds: [] }]);
      await stage.storage.outbox.acknowledge([
        { owner: 'attempts:987654', entryIds: ['unknown'] },
        { owner: `attempts:${attempt.id}`, entryIds: entries.map((entry) => entry.id) },
      ]);
      expect(await outboxOf(stage.other.outbox, attempt.id)).toEqual([]);
      const pending = await stage.storage.outbox.pending(1_000);
      expect(pending.map(({ owner }) => owner)).not.toContain(`attempts:${attempt.id}`);
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
          stage.storage.outbox.acknowledge([{ owner: `attempts:${attempt.id}`, entryIds: [old.id] }]),
          stage.other.attempts.transition(second, third, [next]),
        ]);
        const pending = await stage.storage.outbox.pending(10_000);
        expect(pending.find(({ owner }) => owner === `attempts:${attempt.id}`)?.entries).toEqual([next]);
        await stage.storage.outbox.acknowledge([{ owner: `attempts:${attempt.id}`, entryIds: [next.id] }]);
        attempt = third;
      }
    });

    /** A proof by the creator that is announced. */
    const proof = (changes: Partial<LinkInput> = {}) =>
      linkInput({ ownershipProven: true, platformAccountId: unique('9'), announce: announced, ...changes });
    const handedOver = (pending: readonly PendingOutbox[]) =>
      pending.map(({ owner, entries }) => ({ owner, entryIds: entries.map(({ id }) => id) }));
    /** What links have in their outboxes. */
    const ofLinks = async ({ outbox } = stage.storage) =>
      (await outbox.pending(1_000)).filter(({ owner }) => owner.startsWith('socialAccounts:'));

    it('the event of a proven link waits, the oldest first, until it is acknowledged', async () => {
      const { creators, outbox } = stage.storage;
      await creators.link(linkInput({ announce: announced }));
      expect(await ofLinks()).toEqual([]);
      const links = [];
      for (const seconds of [3, 1, 2]) links.push(await creators.link(proof({ now: later(seconds) })));
      for (const [index, externalId] of NASTY_TEXTS.entries()) {
        const { outcome, ...linked } = await stage.other.creators.link(proof({ externalId, now: later(10 + index) }));
        expect(outcome).toBe('created');
        links.push(linked);
      }
      const expected = links.map((linked) => ({
        owner: `socialAccounts:${linked.account.id}` as const,
        entries: [announced(linked)],
      }));
      const [third, first, second, ...rest] = expected;
      const pending = await ofLinks(stage.other);
      expect(pending).toHaveLength(expected.length);
      expect(pending).toEqual(expect.arrayContaining(expected));
      expect(pending.slice(3)).toEqual(rest);
      expect(pending.slice(0, 3)).toEqual(expect.arrayContaining([first, second, third]));

      await outbox.acknowledge([{ owner: `socialAccounts:${links[1]?.account.id ?? 0}`, entryIds: ['unknown'] }]);
      await outbox.acknowledge([]);
      await outbox.acknowledge([...handedOver(rest), { owner: 'socialAccounts:987654', entryIds: ['unknown'] }]);
      expect(await ofLinks(stage.other)).toEqual(pending.slice(0, 3));
      await outbox.acknowledge(handedOver(pending));
      expect(await ofLinks(stage.other)).toEqual([]);
    });

    it('an event that waits is stored once, also if the link is repeated, and again after it was handed over', async () => {
      const { creators, outbox } = stage.storage;
      const input = proof();
      await parallel(6, (index) => stage.turn(index).creators.link(input));
      const [pending, ...others] = await ofLinks();
      expect(others).toEqual([]);
      expect(pending?.entries).toHaveLength(1);
      await creators.link({ ...input, announce: (linked) => ({ ...announced(linked), id: 'another' }) });
      const [both] = await ofLinks(stage.other);
      expect(both?.entries.map(({ id }) => id)).toEqual([pending?.entries[0]?.id, 'another']);
      await outbox.acknowledge(handedOver(pending === undefined ? [] : [pending]));
      expect((await ofLinks())[0]?.entries).toMatchObject([{ id: 'another' }]);
      await creators.link(input);
      expect((await ofLinks())[0]?.entries).toHaveLength(2);
      await creators.disconnect(input, later(5));
      await outbox.acknowledge(handedOver(await ofLinks()));
      await creators.link(input);
      expect((await ofLinks())[0]?.entries).toHaveLength(1);
    });
  });
}
