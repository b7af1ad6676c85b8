/** Deciding on open attempts as soon as the comments of their creators are stored, without a claim and without reading the post. */
import { askInPieces } from '../../bulk.ts';
import { brandAsCaller, type CampaignWithChallenge, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import { isByHandle, type LinkedCreator, type SocialAccount } from '../creators/creator.ts';
import { knowPublishers } from '../rules/know-publishers.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Attempt, SignalName } from './attempt.ts';
import { type Candidate, matchCreators } from './candidates.ts';
import { decideByComment } from './decide-by-comment.ts';
import { handleCheck } from './look-up.ts';
import { predatesLink } from './matching.ts';
import { type AttemptDeps, attemptContext, storeChange } from './move-attempt.ts';
import { followHandle, ownSince, rememberAccounts } from './own-account.ts';
import { findSignals } from './signals.ts';
import { rulesOf } from './states.ts';

/** The platforms' readers are asked for the number of a handle if comments come without numbers. */
export type DecideByCommentsDeps = AttemptDeps & Needs<'audit' | 'comments' | 'likers', 'platforms' | 'logger'>;

/**
 * Verifies and rewards the open attempts at a comment challenge of those of these creators whose comment is stored. Each attempt takes
 * one write. If the challenge requires something of the account, their claims begin instead. Safe to repeat and to run twice at a time.
 * `told` says by which id the app knows the accounts that have some handles at this moment. Returns how many attempts it moved.
 * @throws what the storage throws; DomainError `NOT_FOUND` if the challenge is deleted meanwhile
 */
export async function decideByComments(
  deps: DecideByCommentsDeps,
  before: CampaignWithChallenge,
  links: readonly LinkedCreator[],
  told: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const { storage } = deps;
  const { campaign, challenge } = before;
  if (challenge.action !== 'comment' || links.length === 0) return 0;
  const call = { caller: brandAsCaller(campaign), signal };
  const asked = await knowPublishers({ ...deps, campaigns: storage.campaigns }, before, call);
  const known = await learnScopedIds(deps, challenge, links, told, call);
  const candidates = await matchCreators(storage, asked, known, deps.clock.now());
  // Only a reading tells whose comment it was. The claim begins one.
  const sure = candidates.filter((candidate) => !predatesLink(candidate));
  const standing = await rememberAccounts(storage, sure);
  const openOf = async (candidate: Candidate): Promise<readonly OpenAttempt[]> => {
    const attempt = await storage.attempts.find({ challengeId: challenge.id, userId: candidate.creator.id });
    return attempt !== null && rulesOf(attempt.state).open ? [{ attempt, candidate }] : [];
  };
  const undecided = (await Promise.all(standing.map(openOf))).flat();
  if (undecided.length === 0) return 0;
  if (!challenge.requires) await storage.campaigns.fixPoints(challenge.id);
  const found = challenge.requires ? before : await requireChallenge(storage, challenge.id);
  const matched = undecided.map(({ candidate }) => candidate);
  const signals = await findSignals(deps, found, matched);
  const moved = await Promise.all(undecided.map((one) => decide(deps, found, one, signals.get(one.candidate))));
  return moved.filter((isMoved) => isMoved).length;
}

/**
 * Links get the id by which the app knows the account with their handle. If the number is known, the platform must say that it is the
 * account of that number. It is asked once for each link: from then on the app's id decides. If the number is not known, an older comment
 * of the link's own (`ownSince`) must not say otherwise.
 */
async function learnScopedIds(
  deps: DecideByCommentsDeps,
  challenge: Challenge,
  links: readonly LinkedCreator[],
  told: ReadonlyMap<string, string>,
  call: Parameters<typeof handleCheck>[1],
): Promise<readonly LinkedCreator[]> {
  const holds = handleCheck(deps, call);
  const isUnknown = ({ account }: LinkedCreator) =>
    account.scopedAccountId === undefined && told.has(account.platformUsername);
  const unknown = links.filter(isUnknown).map(({ account }) => account);
  const byHandle = unknown.filter(isByHandle).map(({ platformUsername }) => platformUsername);
  const storedOf = (some: readonly string[]) => deps.storage.comments.ofAuthors(challenge.id, some, true);
  const stored = new Map(await askInPieces(byHandle, storedOf));
  const isOwn = (account: SocialAccount) => {
    const [first] = ownSince(account, stored.get(account.platformUsername) ?? []).filter((one) => one.scopedAuthorId);
    return first === undefined || first.scopedAuthorId === told.get(account.platformUsername);
  };
  const held = await Promise.all(
    unknown.map(async (account) => ((isByHandle(account) ? isOwn(account) : await holds(account)) ? [account] : [])),
  );
  const seen = held
    .flat()
    .map(({ id, platformUsername }) => ({ linkId: id, accountId: told.get(platformUsername) ?? '' }));
  const known = seen.length === 0 ? new Map() : await deps.storage.creators.rememberAccounts(seen, 'scoped');
  return links.map(({ creator, account }) => {
    const scopedAccountId = known.get(account.id);
    return scopedAccountId === undefined ? { creator, account } : { creator, account: { ...account, scopedAccountId } };
  });
}

interface OpenAttempt {
  readonly attempt: Attempt;
  readonly candidate: Candidate;
}

/** Lost races before the attempt is left to its claim; each means that somebody else moved it. */
const MAX_TRIES = 10;

async function decide(
  deps: DecideByCommentsDeps,
  found: CampaignWithChallenge,
  { attempt, candidate }: OpenAttempt,
  signals: readonly SignalName[] | undefined,
): Promise<boolean> {
  const { creator, match } = candidate;
  const { handle: username, note } = await followHandle(deps, candidate);
  let before: Attempt | null = attempt;
  for (let tries = 0; before !== null && tries < MAX_TRIES; tries += 1) {
    const context = attemptContext(deps, { ...found, creator, username });
    const decision = decideByComment(before, { comment: match.comment, note, signals, seenAt: match.seenAt }, context);
    if (decision.kind !== 'moved') return false;
    if (await storeChange(deps, before, decision)) return true;
    before = await deps.storage.attempts.find(before.id);
  }
  return false;
}
