/** What storage tells about the creator of a claim. Nothing is read of a platform but whose handle it is now. */
import { UNNAMED } from '../../platforms/author-key.ts';
import { platformOf } from '../../platforms/platforms.ts';
import type { CampaignWithChallenge, Challenge } from '../campaigns/campaign.ts';
import type { SweepProgress } from '../challenge-data/comment.ts';
import { ifReadable } from '../challenge-data/platform-failure.ts';
import { isLargestFetch } from '../challenge-data/run-likers-fetch.ts';
import { lastReading } from '../challenge-data/sweep-progress.ts';
import { authorKeyOf, knownAccountId, type SocialAccount } from '../creators/creator.ts';
import { nearestMiss } from '../rules/judge-comments.ts';
import { needsPublishers, type UnmetRule } from '../rules/unmet-rules.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import {
  type AbsenceProof,
  type AbsenceTolerance,
  commentsAbsence,
  DEFAULT_ABSENCE_TOLERANCE,
  type LookedFor,
  likersAbsence,
  NO_TOLERANCE,
} from './absence.ts';
import {
  type createFindMatch,
  earliestMatch,
  findLikes,
  findMatches,
  findUnnumbered,
  type LinkMatch,
  likesIn,
  type MatchingStorage,
  mayBeOf,
  ofLinks,
  predatesLink,
  renamedSince,
  standingLike,
} from './matching.ts';

/** What is known about a creator. */
export type Found =
  | ({ readonly kind: 'match' } & LinkMatch)
  /** Not found in a reading that began after the claim and reached its end. */
  | {
      readonly kind: 'no-match';
      readonly absence: AbsenceProof;
      /** Says of which account those are that show a handle of the creator, if not of the creator's; null without any. */
      readonly others: string | null;
      /** What the creator's nearest comment does not meet; null without rules or a comment. */
      readonly unmet: readonly UnmetRule[] | null;
    };

/** One search, for one claim. */
export interface Search {
  readonly storage: MatchingStorage;
  readonly findMatch: ReturnType<typeof createFindMatch>;
  /** How many comments a reading may lack and still prove absence; `DEFAULT_ABSENCE_TOLERANCE` by default. */
  readonly absenceTolerance?: AbsenceTolerance;
  readonly asked: CampaignWithChallenge;
  readonly times: Times;
  /** Likes that another account may have given (`predatesLink`). */
  readonly unsure: LinkMatch[];
  /** Whether the account has the handle now. */
  readonly holds: (link: SocialAccount) => Promise<boolean>;
}

export interface Times {
  /** When the creator made the claim. */
  readonly claimedAt: Date;
  /** When this check of the claim began: the claim itself, or a later check of an undecided one. */
  readonly checkedAt: Date;
}

/**
 * Looks for a comment in storage; many claims at one post share a reading. Null if the post has to be read, because no reading
 * begun after the claim has reached its end.
 */
export async function lookUpComment(
  search: Search,
  links: readonly SocialAccount[],
  sweep: SweepProgress | null,
): Promise<Found | null> {
  const { asked, times, findMatch, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE } = search;
  const { claimedAt, checkedAt } = times;
  const found = await findMatch(asked, links);
  const reading = lastReading(sweep);
  const isUnread =
    found !== null && predatesLink(found) && (reading === null || reading.startedAt < found.link.connectedAt);
  if (found !== null && !lacksNumber(found) && !isUnread) return { kind: 'match', ...found };
  // One that ended before the claim is checked again has left it undecided.
  if (isUnread || reading === null || reading.startedAt < claimedAt || reading.updatedAt < checkedAt) return null;
  // The post was read since the claim: a comment without a number has none on the platform either.
  const unnumbered = found ?? (await matchWithoutNumber(search, links));
  if (unnumbered !== null) return { kind: 'match', ...unnumbered };
  // A reading that began before this check may lack a comment that moved between its parts, or that can be read by now.
  const isOfEarlierCheck = reading.startedAt < checkedAt && reading.startedAt < reading.leasedAt;
  const lookedFor = await howLookedFor(search, links, reading);
  const absence = isJudgeable(asked.challenge)
    ? commentsAbsence(reading, isOfEarlierCheck ? NO_TOLERANCE : absenceTolerance, lookedFor)
    : PUBLISHERS_UNKNOWN;
  return isOfEarlierCheck && !absence.isProven ? null : noMatch(search, links, absence);
}

const PUBLISHERS_UNKNOWN: AbsenceProof = { isProven: false, why: 'who published the post could not be read' };

const isJudgeable = (challenge: Challenge) => !needsPublishers(challenge) || Boolean(challenge.publishedBy);

/** A list of an official API has no numbers. There the handle tells the account, if the account has it now. */
async function howLookedFor(
  { holds }: Search,
  links: readonly SocialAccount[],
  { isWhole = false }: Pick<SweepProgress, 'isWhole'>,
): Promise<LookedFor> {
  const known = links.filter((link) => knownAccountId(link) !== null);
  const unsure = isWhole ? known.filter(({ scopedAccountId }) => scopedAccountId === undefined) : known;
  const areHeld = isWhole && (await Promise.all(unsure.map(holds))).every((isHeld) => isHeld);
  return { byNumber: unsure.length > 0 && !areHeld, byHandle: isWhole || known.length < links.length };
}

/** Whether the number of the link is known and the comment has none, nor an id by which the account is known: a reading may tell it. */
function lacksNumber({ match, link }: LinkMatch): boolean {
  const isScoped = match.scopedId !== null && match.scopedId === link.scopedAccountId;
  return match.accountId === null && knownAccountId(link) !== null && !isScoped;
}

/**
 * A comment without a number that was read after the link was made, by the handle of a link whose number is known. It counts if the
 * handle is that account's at this moment: else somebody may have written it who took the handle over.
 */
async function matchWithoutNumber(
  { storage, asked, holds }: Search,
  links: readonly SocialAccount[],
): Promise<LinkMatch | null> {
  const known = links.filter((link) => knownAccountId(link) !== null);
  const found = await findUnnumbered(storage, asked, known);
  for (const link of known) {
    const match = found.get(link.platformUsername);
    if (match !== undefined && mayBeOf(link, match) && (await holds(link))) return { match, link };
  }
  return null;
}

/** Asks the platform whether the account of a link has the link's handle now; once for each link. */
export function handleCheck(
  deps: Pick<UseCaseParts, 'platforms' | 'logger'>,
  call: { readonly caller: string; readonly signal: AbortSignal },
): (link: SocialAccount) => Promise<boolean> {
  const { platforms, logger } = deps;
  const asked = new Map<number, Promise<boolean>>();
  async function ask(link: SocialAccount): Promise<boolean> {
    const told = { logger, signal: call.signal };
    const profile = await ifReadable(told, { accountId: link.id }, 'whose handle it is now is not known', async () =>
      platformOf(platforms, link.platform).getProfile(link.platformUsername, call),
    );
    return profile !== null && profile.accountId === knownAccountId(link);
  }
  return (link) => {
    const answer = asked.get(link.id) ?? ask(link);
    asked.set(link.id, answer);
    return answer;
  };
}

/**
 * As `lookUpComment`, for a like. Of many likers a platform shows some, and others each time. So all fetches since the claim are
 * searched, not only the latest.
 */
export async function lookUpLike(search: Search, links: readonly SocialAccount[]): Promise<Found | null> {
  const { storage, asked, times } = search;
  const { challenge } = asked;
  const authors = [...new Set(links.map(authorKeyOf))];
  // One fetch for both questions: the one that is complete while this looks may be a smaller one.
  const fetch = await storage.likers.findFetch({ challengeId: challenge.id, status: 'succeeded' });
  const since = async () => await storage.likers.among({ challengeId: challenge.id, since: times.claimedAt }, authors);
  const found =
    earliestMatch(ofLinks(await findLikes(storage, fetch, authors), links), links) ??
    earliestMatch(ofLinks(likesIn(await since(), times.claimedAt), links), links);
  const isUnsure = found !== null && predatesLink(found);
  if (isUnsure) search.unsure.push(found);
  const match = isUnsure ? null : (found ?? (await standingLike(storage, challenge, search.unsure, links)));
  if (match !== null) return { kind: 'match', ...match };
  if (isUnsure || fetch === null || (fetch.startedAt ?? fetch.requestedAt) < times.checkedAt) return null;
  const isByHandle = links.some((link) => knownAccountId(link) === null);
  const isUnclear = isByHandle && (await storage.likers.among({ fetchId: fetch.id }, [UNNAMED])).size > 0;
  const absence = likersAbsence(fetch, isUnclear);
  // A larger fetch may see more.
  return absence.isProven || isLargestFetch(fetch) ? noMatch(search, links, absence) : null;
}

async function noMatch(
  { storage, asked: { campaign, challenge } }: Search,
  links: readonly SocialAccount[],
  absence: AbsenceProof,
): Promise<Found> {
  const anyText = { campaign, challenge: { ...challenge, rules: null } };
  const handles = links.map(({ platformUsername }) => platformUsername);
  const shown = await findMatches(storage, anyText, handles);
  const renamed = await renamedSince(storage, anyText, links, ofLinks(shown, links));
  const others = links.flatMap((link) => {
    if (renamed.includes(link))
      return `the comment of @${link.platformUsername} is by an account that has another handle now`;
    const account = shown.get(link.platformUsername)?.accountId ?? null;
    if (account === null || [null, account].includes(knownAccountId(link))) return [];
    return `@${link.platformUsername} is account ${account} there, and the link is for account ${knownAccountId(link)}`;
  });
  const unmet = challenge.rules ? await nearestMiss(storage.comments, { campaign, challenge }, links) : null;
  return { kind: 'no-match', absence, others: others[0] ?? null, unmet };
}
