/**
 * Finds creators who may newly match a challenge, by looking at what is new only.
 *
 * Compared are authors (of comments, or likers), by handle and by number, with active links of creators. Of each such pair one side
 * must be new since the last run, or the pair was compared then. New are:
 *
 * - a comment that was stored: it is in a batch (`MatchingStore.newBatches`);
 * - a new link, a link that was made again after a disconnection, and one whose account has become known or is another one. Each
 *   has a higher number than all before (`MatchingStore.lastLink`);
 * - another completed fetch of likers;
 * - another platform or action of the challenge. Then another rule applies (`engagedAuthors`), and everything is compared again. So
 *   it is if a stored comment has got its author's number.
 *
 * Nothing else makes an old comment match. A comment that is read again, edited or not, stays as it was stored otherwise. The end of a campaign and its points play no part. An attempt is never removed, and
 * a creator who has one, in whatever state, is left alone.
 */
import { pieces } from '../../bulk.ts';
import { type AuthorKey, numberKey } from '../../platforms/author-key.ts';
import type { CommentBatch, Link, MatchingProgress } from '../../ports/matching-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import { type EngagedAuthors, engagedAuthors } from './engaged-authors.ts';
import { findMatches, findUnnumbered, type Match, type MatchingStorage } from './matching.ts';

export type NewsStorage = MatchingStorage & Pick<Storage, 'matching'>;

/** Links, authors or comments looked at in one round; what is in memory is one round. */
const ROUND = 500;
/** Up to this many rounds, a walk over the news costs less than counting everything else. */
const FEW_ROUNDS = 4;

/** What a run looks at. The rest was compared before, or is compared along with it. */
interface Work {
  /** Authors after this one; null: none. */
  readonly handlesAfter: string | null;
  readonly batches: readonly CommentBatch[];
  /** Links after this number. */
  readonly linksAfter: number;
}

/**
 * Yields creators who may match, some hundred at a time: all whose match is new, and some whose match is not. A run
 * walks what is new, or all links or all authors if they are fewer. A round is remembered once the caller asks for the next
 * one, so that the next run continues one that is cut off. Meanwhile the next round is read.
 *
 * Safe to run twice at a time: progress is saved by compare-and-set, and of two runs the slower one saves no more.
 */
export async function* newlyMatching(storage: NewsStorage, challenge: Challenge, round: number = ROUND): Walk {
  const authors = await engagedAuthors(storage, challenge);
  if (authors === null) return;
  // Before anything is compared: what comes later has a higher number, or is in another batch.
  const [newest, batches, stored] = await Promise.all([
    storage.matching.lastLink(challenge.platform),
    authors.newBatches(),
    storage.matching.progress(challenge.id),
  ]);
  const nothingCompared = {
    challengeId: challenge.id,
    linkedUpTo: 0,
    handlesAfter: '',
    revision: stored?.revision ?? 0,
  };
  const known = stored?.rule === authors.rule ? stored : { ...nothingCompared, rule: authors.rule };
  const save = createSaver(storage, known);
  const news: Work = { handlesAfter: known.handlesAfter, batches, linksAfter: known.linkedUpTo };
  const work = await smallest(storage, challenge, authors, { news, newest, few: FEW_ROUNDS * round });
  if (work !== news) {
    // Saved first: batches are settled only when a walk that covers them is sure to be gone on with.
    const saved = await save({ linkedUpTo: work.linksAfter, handlesAfter: work.handlesAfter });
    if (saved) await settle(storage, challenge.id, batches);
  }
  const run: Run = { storage, challenge, work, save, round };
  yield* walkAuthors(run, authors);
  yield* walkBatches(run);
  yield* walkLinks(run, newest);
}

/** The work that looks at least. */
async function smallest(
  storage: NewsStorage,
  { platform }: Challenge,
  authors: EngagedAuthors,
  { news, newest, few }: { readonly news: Work; readonly newest: number; readonly few: number },
): Promise<Work> {
  const comments = news.batches.reduce((sum, { firstId, lastId }) => sum + lastId - firstId + 1, 0);
  const atMost = comments + newest - news.linksAfter;
  if (news.handlesAfter === null && atMost <= few) return news;
  // A walk over all authors that was cut off.
  if (news.handlesAfter) return news;
  const allAuthors = await authors.count();
  const newLinks = async () => await storage.matching.countLinks(platform, news.linksAfter, atMost);
  const isNew = news.handlesAfter === null ? comments + (await newLinks()) : Infinity;
  const allLinks = await storage.matching.countLinks(platform, 0, 1 + Math.min(isNew, allAuthors));
  if (isNew <= Math.min(allLinks, allAuthors)) return news;
  return allLinks <= allAuthors
    ? { handlesAfter: null, batches: [], linksAfter: 0 }
    : { handlesAfter: '', batches: [], linksAfter: newest };
}

type Save = (changes: Partial<Pick<MatchingProgress, 'linkedUpTo' | 'handlesAfter'>>) => Promise<boolean>;

/** Saves progress as long as nobody else does; false from then on. */
function createSaver({ matching }: NewsStorage, known: MatchingProgress): Save {
  let current: MatchingProgress | null = known;
  return async (changes) => {
    if (current === null) return false;
    const next: MatchingProgress = { ...current, ...changes, revision: current.revision + 1 };
    current = (await matching.save(next)) ? next : null;
    return current !== null;
  };
}

async function settle(
  { matching }: Pick<NewsStorage, 'matching'>,
  challengeId: number,
  batches: readonly CommentBatch[],
): Promise<void> {
  const complete = batches.filter(({ isComplete }) => isComplete);
  for (const some of pieces(complete, ROUND)) await matching.settle(challengeId, some);
}

interface Run {
  readonly storage: NewsStorage;
  readonly challenge: Challenge;
  readonly work: Work;
  readonly save: Save;
  readonly round: number;
}

/** Creators who may match. */
export interface MayMatch {
  readonly creatorIds: readonly number[];
  /** What is known of authors by now; null: the author does not match. */
  readonly known: ReadonlyMap<AuthorKey, Match | null>;
}

type Walk = AsyncGenerator<MayMatch, void, undefined>;

async function* walkAuthors(run: Run, authors: EngagedAuthors): Walk {
  for await (const { pages, handlesAfter } of ahead(readAuthors(run, authors))) {
    yield* pages;
    await run.save({ handlesAfter });
  }
}

async function* readAuthors(run: Run, authors: EngagedAuthors) {
  for (let { handlesAfter } = run.work; handlesAfter !== null; ) {
    const some = await authors.after(handlesAfter, run.round);
    handlesAfter = some.at(-1) ?? null;
    yield { pages: await linkedTo(run, some), handlesAfter };
  }
}

async function* walkBatches(run: Run): Walk {
  const { storage, challenge } = run;
  for await (const { pages, batches } of ahead(readBatches(run))) {
    yield* pages;
    await settle(storage, challenge.id, batches);
  }
}

async function* readBatches(run: Run) {
  const { storage, challenge, work, round } = run;
  for (const batches of together(work.batches, round)) {
    const authors = await storage.matching.authorsIn(challenge.id, batches);
    const pages: MayMatch[] = [];
    for (const piece of pieces(authors, round)) pages.push(...(await linkedTo(run, piece)));
    yield { pages, batches };
  }
}

async function linkedTo(
  { storage, challenge, round }: Run,
  authors: readonly AuthorKey[],
): Promise<readonly MayMatch[]> {
  const linked = await storage.matching.creatorsByAuthors(challenge.platform, authors);
  return [...pieces(linked, round)].map((creatorIds) => ({ creatorIds, known: new Map() }));
}

async function* walkLinks(run: Run, newest: number): Walk {
  for await (const { page, linkedUpTo } of ahead(readLinks(run, newest))) {
    if (page.creatorIds.length > 0) yield page;
    await run.save({ linkedUpTo });
  }
}

async function* readLinks({ storage, challenge, work, round }: Run, newest: number) {
  for (let linkedUpTo = work.linksAfter; linkedUpTo < newest; ) {
    const links = await storage.matching.links(challenge.platform, linkedUpTo, round);
    const authorOf = ({ handle, accountId }: Link) => (accountId === null ? handle : numberKey(accountId));
    const authors = [...new Set(links.map(authorOf))];
    const matches = await findMatches(storage, challenge, authors);
    const numbered = links.filter(({ accountId }) => accountId !== null);
    const unnumbered = await findUnnumbered(
      storage,
      challenge,
      numbered.map(({ handle }) => ({ platformUsername: handle })),
    );
    const matching = links
      .filter((link) => matches.has(authorOf(link)) || unnumbered.has(link.handle))
      .map(({ creatorId }) => creatorId);
    const known = new Map(authors.map((author) => [author, matches.get(author) ?? null]));
    linkedUpTo = Math.min(links.at(-1)?.number ?? newest, newest);
    yield { page: { creatorIds: [...new Set(matching)], known }, linkedUpTo };
  }
}

/** Reads the next item while the caller works on this one. */
async function* ahead<T>(source: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  let next = source.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = source.next();
    // If it fails, the caller hears of it when it asks for it, or has no use for it any more.
    next.catch(() => undefined);
    yield value;
  }
}

/** Batches that hold about one round of comments together. */
function* together(batches: readonly CommentBatch[], round: number): Generator<readonly CommentBatch[]> {
  let some: CommentBatch[] = [];
  let comments = 0;
  for (const batch of batches) {
    some.push(batch);
    comments += batch.lastId - batch.firstId + 1;
    if (comments < round) continue;
    yield some;
    some = [];
    comments = 0;
  }
  if (some.length > 0) yield some;
}
