/**
 * Verify-and-reward finds what a comparison of everything would. After random steps, the next run
 * gives attempts to exactly the creators that a comparison of all comments with all links finds. Each has its earliest comment.
 * Who is who is told by a plain model: a link whose number is known, proven or remembered, means that account; another one its handle.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAndReward } from '../../core/engagement/attempts/verify-and-reward.ts';
import type { Challenge } from '../../core/engagement/campaigns/campaign.ts';
import { knownAccountId, type SocialAccount } from '../../core/engagement/creators/creator.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import {
  createAttempt,
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newLiker,
  newLikersFetch,
  T0,
  unique,
} from '../contract/storage/samples.ts';
import { mongoServer } from '../support/mongo.ts';
import { REGISTRY } from '../support/platforms.ts';
import { runs } from '../support/property-runs.ts';
import { createTestStorage } from '../support/storage.ts';

const CREATORS = 2;
const HANDLES = 3;
const NUMBERS = 2;

/** The number of an account, or none. */
const number = fc.option(fc.nat(NUMBERS));

const creator = fc.nat(CREATORS);
const handle = fc.nat(HANDLES);
const LIKERS = { maxLength: 3, selector: ([, account]: readonly [number, number]) => account };

/** A kind of step, how often it is taken, and what it is about. */
const kind = <const Name extends string, Fields extends object>(
  name: Name,
  weight: number,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
) => ({ weight, arbitrary: fc.record({ ...fields, do: fc.constant(name) }) as fc.Arbitrary<Fields & { do: Name }> });

/** Numbers are taken modulo what there is. */
const step = fc.oneof(
  kind('comment', 4, { handle, number, times: fc.integer({ min: 1, max: 7 }) }),
  kind('edit', 1, { comment: fc.nat(20), handle, number }),
  kind('link', 4, { creator, handle, proven: number }),
  kind('disconnect', 4, { creator, handle }),
  kind('like', 1, { likers: fc.uniqueArray(fc.tuple(handle, fc.nat(NUMBERS)), LIKERS) }),
  kind('attempt', 1, { creator }),
  kind('match', 2, { creator, number: fc.nat(NUMBERS) }),
  kind('rename', 2, { creator, handle }),
  kind('noise', 1, { comments: fc.integer({ min: 1, max: 12 }) }),
  // Cut off before the given write of attempts.
  kind('die', 2, { before: fc.nat(7) }),
  kind('run', 5, { twice: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One challenge of its own, with creators and handles of its own, in a storage that others use as well. */
async function createStage(storage: Storage, action: Challenge['action']) {
  const { campaign, challenge } = await storage.campaigns.create(newCampaign(), newChallenge({ action }));
  const name = unique('stage');
  const handleOf = (index: number) => `${name}.${index}`;
  const externalIdOf = (index: number) => `${name}:${index}`;
  const numberOf = (index: number) => `${name}/${index}`;
  let comments = 0;
  let writesLeft = Infinity;
  const spend = () => {
    if (writesLeft === 0) throw new Error('the process dies here');
    writesLeft -= 1;
  };
  const dying: Storage = {
    ...storage,
    attempts: {
      ...storage.attempts,
      create: async (attempts) => {
        spend();
        return await storage.attempts.create(attempts);
      },
    },
  };
  const relay = { handOver: async () => {} };
  const clock = { now: () => later(1_000) };
  let now = 0;
  const tick = () => later(++now);
  const run = verifyAndReward({ storage: dying, platforms: REGISTRY, relay, clock, random: systemRandom, round: 1 });
  const commentBy = (handle: number, account: number | null, index: number) => ({
    authorId: account === null ? null : numberOf(account),
    platformCommentId: String(index),
    username: handle % 2 === 0 ? handleOf(handle).toUpperCase() : `@${handleOf(handle)}`,
    commentText: `comment ${index}`,
    // Not in the order of being stored, and no two at one time.
    commentedAt: later((index * 7_919) % 10_007),
  });

  const steps: { [Kind in Step['do']]: (step: Extract<Step, { do: Kind }>) => Promise<void> } = {
    async comment({ handle, number: account, times }) {
      const more = Array.from({ length: times }, (_, index) => commentBy(handle + (index % 2), account, comments++));
      await storage.comments.insertNew(challenge.id, more, tick());
    },
    async edit({ comment, handle, number: account }) {
      if (comments === 0) return;
      await storage.comments.insertNew(challenge.id, [commentBy(handle, account, comment % comments)], tick());
    },
    async link({ creator, handle, proven }) {
      const account = proven === null ? {} : { ownershipProven: true, platformAccountId: numberOf(proven) };
      const link = { externalId: externalIdOf(creator), handle: handleOf(handle), now: tick(), ...account };
      await storage.creators.link(linkInput(link));
    },
    async disconnect({ creator, handle }) {
      const link = { externalId: externalIdOf(creator), platform: 'instagram', handle: handleOf(handle) };
      await storage.creators.disconnect(link, T0);
    },
    async match({ creator, number: account }) {
      const [link] = await linksOf(creator);
      if (link === undefined) return;
      await storage.creators.rememberAccounts([{ linkId: link.id, accountId: numberOf(account) }]);
    },
    async rename({ creator, handle }) {
      const link = (await linksOf(creator)).find(({ platformAccountId }) => platformAccountId !== null);
      const accountId = link?.platformAccountId;
      if (!link || !accountId) return;
      await storage.creators.followHandle({ link, accountId, handle: handleOf(handle), seenAt: tick(), now: tick() });
    },
    async like({ likers }) {
      const fetch = await storage.likers.createFetch(
        newLikersFetch(challenge.id, { status: 'running', fetchedCount: likers.length }),
      );
      await storage.likers.insertNew(
        fetch.id,
        likers.map(([handle, account]) => newLiker({ username: handleOf(handle), igUserId: numberOf(account) })),
      );
      await storage.likers.updateFetch({ ...fetch, status: 'succeeded', finishedAt: T0 });
    },
    async attempt({ creator }) {
      const found = await storage.creators.find({ externalId: externalIdOf(creator) });
      if (found !== null) await createAttempt(storage.attempts, newAttempt(challenge.id, found.id), []);
    },
    async noise({ comments: times }) {
      const stranger = () => ({ ...commentBy(0, null, comments++), username: unique('stranger') });
      const more = Array.from({ length: times }, stranger);
      await storage.comments.insertNew(challenge.id, more, tick());
    },
    async die({ before }) {
      writesLeft = before;
      await run({ campaignId: campaign.id }).catch(() => undefined);
      writesLeft = Infinity;
    },
    async run({ twice }) {
      const expected = new Map([...(await attempts()), ...(await expectedNow())]);
      const input = { campaignId: campaign.id };
      await Promise.all(twice ? [run(input), run(input)] : [run(input)]);
      expect(await attempts()).toEqual(expected);
    },
  };

  async function linksOf(creator: number): Promise<readonly SocialAccount[]> {
    const found = await storage.creators.find({ externalId: externalIdOf(creator) });
    const links = found === null ? [] : await storage.creators.accountsOf(found.id);
    return links.filter(({ disconnectedAt }) => disconnectedAt === null);
  }

  const isOf = (link: SocialAccount, username: string) =>
    link.platformUsername === username.toLowerCase().replace('@', '');
  const means = (link: SocialAccount, username: string, accountId: string | null) =>
    knownAccountId(link) === null ? isOf(link, username) : knownAccountId(link) === accountId;

  /** Creator id to the text of the matched comment. */
  async function attempts(): Promise<ReadonlyMap<number, string | undefined>> {
    const { items } = await storage.attempts.participants(challenge.id, 'instagram', {}, { page: 1, limit: 100 });
    return new Map(items.map(({ attempt }) => [attempt.userId, attempt.matchedComment?.commentText]));
  }

  /** Who would get an attempt if everything were compared now. */
  async function expectedNow(): Promise<ReadonlyMap<number, string | undefined>> {
    const fetch = await storage.likers.findFetch({ challengeId: challenge.id, status: 'succeeded' });
    const page = { page: 1, limit: 1_000 };
    const stored = (await storage.comments.page(challenge.id, page)).items.toSorted(
      (a, b) => a.commentedAt.getTime() - b.commentedAt.getTime() || a.id - b.id,
    );
    const likers = fetch === null ? [] : (await storage.likers.page(fetch.id, page)).items;
    const expected = new Map<number, string | undefined>();
    for (let creator = 0; creator <= CREATORS; creator += 1) {
      const found = await storage.creators.find({ externalId: externalIdOf(creator) });
      if (found === null || (await storage.attempts.find({ challengeId: challenge.id, userId: found.id })) !== null)
        continue;
      const links = await linksOf(creator);
      if (action === 'like') {
        if (likers.some((liker) => links.some((link) => means(link, liker.username, liker.igUserId)))) {
          expected.set(found.id, undefined);
        }
        continue;
      }
      const firsts = links.flatMap((link) => {
        const first = stored.find(({ username, authorId }) => means(link, username, authorId ?? null));
        // Without a number, only what was read before the link was made.
        const plain = stored.filter((each) => each.authorId == null && isOf(link, each.username));
        const known = knownAccountId(link) === null ? undefined : plain.toSorted((x, y) => x.id - y.id)[0];
        return first ?? (known !== undefined && known.createdAt <= link.connectedAt ? known : []);
      });
      const [first] = firsts.toSorted((x, y) => x.commentedAt.getTime() - y.commentedAt.getTime());
      if (first !== undefined) expected.set(found.id, first.commentText);
    }
    return expected;
  }

  return { take: (next: Step) => steps[next.do](next as never) };
}

const server = await mongoServer();
describe.each(['sqlite', 'mongodb'] as const)('verify and reward on %s', (kind) => {
  describe.skipIf(kind === 'mongodb' && !server.available)('after any steps', () => {
    let made: Awaited<ReturnType<typeof createTestStorage>>;
    let storage: Storage;
    beforeAll(async () => {
      made = await createTestStorage(kind);
      storage = made.create();
      await storage.open();
    });
    afterAll(async () => {
      await storage.close();
      await made.close();
    });

    it.each(['comment', 'like'] as const)('finds whom a plain model finds: %s', async (action) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (path) => {
          const stage = await createStage(storage, action);
          for (const next of path) await stage.take(next);
          await stage.take({ do: 'run', twice: false });
        }),
        runs(kind === 'sqlite' ? 6 : 1),
      );
    });
  });
});
