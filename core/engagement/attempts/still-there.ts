/** Whether storage still knows the comments and likes by which attempts were verified. Nothing is read of a platform. */
import { UNNAMED } from '../../platforms/author-key.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import type { Storage, Stores } from '../../ports/storage.ts';
import type { SweptReading, Withheld } from '../challenge-data/comment.ts';
import { knownAccountId, type SocialAccount } from '../creators/creator.ts';
import type { Asked } from '../rules/unmet-rules.ts';
import {
  type AbsenceTolerance,
  commentsAbsence,
  DEFAULT_ABSENCE_TOLERANCE,
  likersAbsence,
  proofsOfLoss,
  showsTooFew,
} from './absence.ts';
import type { Attempt } from './attempt.ts';
import { wasSeen } from './keeping.ts';
import { type MatchingStorage, matchesOfLinks } from './matching.ts';
import { readSince } from './read-since.ts';

type LinksStorage = MatchingStorage & { readonly creators: Pick<Storage['creators'], 'accountsOf'> };

export interface StillThereDeps extends Stores<'comments' | 'creators' | 'likers'> {
  readonly platforms: Pick<PlatformRegistry, 'describe'>;
  readonly absenceTolerance?: AbsenceTolerance | undefined;
}

/**
 * Of these attempts at one challenge, at most 1,000, those whose comment or like is gone, and how: it was told to be, or readings prove
 * it (`proofsOfLoss`). Not if the creator has another one that counts. `areHeld`: the creators' accounts are
 * known to have their handles now, so that lists without numbers tell.
 */
export async function goneAmong(
  deps: StillThereDeps,
  asked: Asked,
  attempts: readonly Attempt[],
  areHeld = false,
): Promise<ReadonlyMap<Attempt, Withheld>> {
  const seen = attempts.filter(wasSeen);
  const told = seen.filter(({ matchedComment }) => matchedComment?.removed !== undefined);
  const missed = asked.challenge.action === 'like' ? missedLikes : missedComments;
  const gone = [...(await withoutAnother(deps.storage, asked, told)), ...(await missed(deps, asked, seen, areHeld))];
  return new Map(gone.map((attempt) => [attempt, attempt.matchedComment?.removed?.how ?? 'removed']));
}

/** Of these attempts those whose creators have done nothing that counts, as far as this storage knows. `isSure`: whether it would know. */
export async function withoutAnother(
  storage: LinksStorage,
  asked: Asked,
  attempts: readonly Attempt[],
  isSure: (links: readonly SocialAccount[]) => boolean = () => true,
): Promise<readonly Attempt[]> {
  if (attempts.length === 0) return [];
  // What was done under a handle stays done when the handle is disconnected.
  const linksOf = async ({ userId }: Attempt) =>
    (await storage.creators.accountsOf(userId)).filter(({ platform }) => platform === asked.challenge.platform);
  const links = await Promise.all(attempts.map(linksOf));
  const matches = await matchesOfLinks(storage, asked, links.flat());
  return attempts.filter((_, at) => {
    const own = links[at] ?? [];
    return isSure(own) && !own.some(({ id }) => matches.has(id));
  });
}

async function missedComments(
  { storage, platforms, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE }: StillThereDeps,
  asked: Asked,
  attempts: readonly Attempt[],
  areHeld: boolean,
) {
  const { id, platform } = asked.challenge;
  const gone = new Set<Attempt>();
  for (const { since, readings, tolerance } of proofsOfLoss(await storage.comments.sweep(id), absenceTolerance)) {
    const read = seenBefore(attempts, since);
    const ids = read.flatMap(({ matchedComment }) => matchedComment?.platformCommentId ?? []);
    const known = ids.length === 0 ? new Set<string>() : await storage.comments.knownAmong(id, ids, since);
    const unmet = read.filter(({ matchedComment }) => !known.has(matchedComment?.platformCommentId ?? ''));
    if (unmet.length === 0 || (await lacksMost(storage, id, readings))) continue;
    const isSure = (links: readonly SocialAccount[]) => {
      const numbered = links.filter((link) => knownAccountId(link) !== null).length;
      const byNumber = { byNumber: numbered > 0, byHandle: numbered < links.length };
      return readings.every((reading) => {
        const lookedFor = reading.isWhole && areHeld ? undefined : byNumber;
        return commentsAbsence(reading, tolerance, lookedFor).isProven;
      });
    };
    const met = readSince(storage, platforms.describe(platform), { since });
    for (const attempt of await withoutAnother({ ...met, creators: storage.creators }, asked, unmet, isSure))
      gone.add(attempt);
  }
  return [...gone];
}

/** Whether a reading shows less than half of what storage knows, however long ago it was read: then nobody loses a reward by it. */
export async function lacksMost(
  { comments }: Pick<Storage, 'comments'>,
  challengeId: number,
  readings: readonly SweptReading[],
): Promise<boolean> {
  const { total } = await comments.page(challengeId, { page: 1, limit: 1 }, { metSince: new Date(0) });
  return readings.some(({ totalFetched, unreadReplies }) =>
    showsTooFew(totalFetched + unreadReplies, total, DEFAULT_ABSENCE_TOLERANCE),
  );
}

async function missedLikes({ storage }: StillThereDeps, asked: Asked, attempts: readonly Attempt[]) {
  const fetch = await storage.likers.findFetch({ challengeId: asked.challenge.id, status: 'succeeded' });
  const read = fetch === null ? [] : seenBefore(attempts, fetch.startedAt ?? fetch.requestedAt);
  if (fetch === null || read.length === 0) return [];
  const isUnclear = (await storage.likers.among({ fetchId: fetch.id }, [UNNAMED])).size > 0;
  if (!likersAbsence(fetch, isUnclear).isProven) return [];
  // One that ends meanwhile may see fewer.
  const likers: LinksStorage['likers'] = {
    findFetch: async () => fetch,
    among: (which, accounts) => storage.likers.among(which, accounts),
  };
  return withoutAnother({ ...storage, likers }, asked, read);
}

const seenBefore = (attempts: readonly Attempt[], time: Date) =>
  attempts.filter(({ lastVerificationAt }) => lastVerificationAt !== null && lastVerificationAt < time);
