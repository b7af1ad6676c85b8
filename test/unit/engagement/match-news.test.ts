/** What a walk over news reads: the smaller side, in rounds, and nothing that was compared before. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { type MayMatch, newlyMatching } from '../../../core/engagement/attempts/match-news.ts';
import type { Challenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { linkInput, newCampaign, newChallenge, newComment } from '../../contract/storage/samples.ts';

/** Four rounds, which are 8 comments and links, are few. */
const ROUND = 2;

let storage: Storage;
let challenge: Challenge;
let links: number;
let comments: number;

beforeEach(async () => {
  storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  ({ challenge } = await storage.campaigns.create(newCampaign(), newChallenge()));
  [links, comments] = [0, 0];
  // From now on only what is new is compared.
  await run();
});
afterEach(() => storage.close());

/** Creators of the next handles of `h1`, `h2` and so on. */
async function link(count: number): Promise<void> {
  for (const last = links + count; links < last; ) {
    links += 1;
    await storage.creators.link(linkInput({ handle: `h${links}` }));
  }
}

/** One batch of comments by the next handles of `h1`, `h2` and so on. */
async function comment(count: number): Promise<void> {
  const batch = Array.from({ length: count }, (_, index) => newComment({ username: `h${comments + index + 1}` }));
  comments += count;
  await storage.comments.insertNew(challenge.id, batch, new Date());
}

/** The rounds of a run, and what it asked the storage for. */
async function run() {
  const { matching } = storage;
  const spies = {
    authorsIn: vi.spyOn(matching, 'authorsIn'),
    authors: vi.spyOn(matching, 'authors'),
    links: vi.spyOn(matching, 'links'),
    countLinks: vi.spyOn(matching, 'countLinks'),
  };
  const rounds: MayMatch[] = [];
  for await (const round of newlyMatching(storage, challenge, ROUND)) rounds.push(round);
  const asked = {
    batches: spies.authorsIn.mock.calls.map(([, batches]) =>
      batches.map(({ firstId, lastId }) => lastId - firstId + 1),
    ),
    authorsAfter: spies.authors.mock.calls.map(([, after]) => after),
    linksAfter: spies.links.mock.calls.map(([, after]) => after),
    counts: spies.countLinks.mock.calls.map(([, after]) => after),
  };
  vi.restoreAllMocks();
  expect(await matching.newBatches(challenge.id)).toEqual([]);
  return { rounds, asked };
}

const nothing = { batches: [], authorsAfter: [], linksAfter: [], counts: [] };

it('few news are compared without counting anything', async () => {
  await comment(4);
  await link(4);
  const { rounds, asked } = await run();
  expect(asked).toEqual({ ...nothing, batches: [[4]], linksAfter: [0, 2] });
  expect(rounds.flatMap(({ creatorIds }) => creatorIds).sort()).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  expect((await run()).asked).toEqual(nothing);
});

it('one more than few are counted, and compared if all links and all handles are more', async () => {
  await comment(5);
  await link(4);
  // Five comments and four links are as many news as there are records.
  expect((await run()).asked).toEqual({ ...nothing, authorsAfter: [], linksAfter: [0, 2], counts: [0, 0] });
  await link(21);
  await comment(25);
  await run();
  await comment(10);
  await link(5);
  expect((await run()).asked).toEqual({ ...nothing, batches: [[10]], linksAfter: [25, 27, 29], counts: [25, 0] });
});

it('all links are compared if they are fewer than the news', async () => {
  await link(5);
  await run();
  await comment(20);
  expect((await run()).asked).toEqual({ ...nothing, linksAfter: [0, 2, 4], counts: [5, 0] });
  // Ten comments and 25 links are more than all 30 links.
  await link(25);
  await comment(10);
  const { linksAfter, batches } = (await run()).asked;
  expect(linksAfter[0]).toBe(0);
  expect(batches).toEqual([]);
});

it('all handles are compared if they are fewer still', async () => {
  await comment(3);
  await link(20);
  expect((await run()).asked).toEqual({ ...nothing, authorsAfter: ['', 'h2', 'h3'], counts: [0, 0] });
});

it('small batches are read together', async () => {
  for (let batch = 0; batch < 5; batch += 1) await comment(1);
  expect((await run()).asked.batches).toEqual([[1, 1], [1, 1], [1]]);
});

it('a walk over links tells which handles match, and yields nobody else', async () => {
  await comment(3);
  await run();
  await storage.creators.link(linkInput({ handle: 'h1' }));
  await storage.creators.link(linkInput({ handle: 'stranger' }));
  await storage.creators.link(linkInput({ handle: 'nobody' }));
  const { rounds } = await run();
  expect(rounds).toHaveLength(1);
  expect(rounds[0]?.creatorIds).toEqual([1]);
  expect([...(rounds[0]?.known ?? [])]).toMatchObject([
    ['h1', { handle: 'h1', comment: { commentText: 'nice' } }],
    ['stranger', null],
  ]);
});
