/** Telling brands that a comment by which an attempt was verified is deleted or hidden. The reward stays unless the campaign's terms say otherwise. */
import type { Stores } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import type { StoredComment } from '../challenge-data/comment.ts';
import type { Creator } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import type { Change } from './attempt-command.ts';
import { announced } from './attempt-events.ts';
import { linksOfAuthors } from './candidates.ts';
import { CHECK_AGAIN_MS, gone, isWatched, withoutNote } from './keeping.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, attemptContext, storeChange } from './move-attempt.ts';
import { noted } from './next-state.ts';
import { withoutAnother } from './still-there.ts';

export type AnnounceRemovedDeps = AttemptDeps & Stores<'comments' | 'likers'>;

/** Comments that are looked at in one go. */
const BATCH = 1_000;

/**
 * Notes on attempts that the comment by which they were verified is withheld, among the comments that are since a time. If hidden
 * comments count, only deleted ones are noted. The note and its event are one write. What is deleted ends a reward at once; what is
 * hidden is looked at again. An attempt that has the note already stays as it is. Returns how many were noted.
 */
export async function announceRemoved(
  deps: AnnounceRemovedDeps,
  found: CampaignWithChallenge,
  since: Date,
): Promise<number> {
  const { comments } = deps.storage;
  const { id, countHidden } = found.challenge;
  let noted = 0;
  for (let [from, after] = [since, 0]; ; ) {
    const some = await comments.withheldSince(id, from, after);
    const withheld = countHidden ? some.filter((comment) => comment.withheld === 'removed') : some;
    // What was done under a handle stays done when the handle is disconnected.
    const links = await linksOfAuthors(deps.storage, found.challenge, withheld, { ended: true });
    for (const creator of new Map(links.map((link) => [link.creator.id, link.creator])).values()) {
      noted += await noteOn(deps, found, creator, withheld);
    }
    const last = some.at(-1);
    if (last?.visibilityAt === undefined || some.length < BATCH) return noted;
    [from, after] = [last.visibilityAt, last.id];
  }
}

async function noteOn(
  deps: AnnounceRemovedDeps,
  found: CampaignWithChallenge,
  creator: Creator,
  withheld: readonly StoredComment[],
): Promise<number> {
  const { attempts } = deps.storage;
  for (;;) {
    const attempt = await attempts.find({ challengeId: found.challenge.id, userId: creator.id });
    const comment = withheld.find(({ platformCommentId: id }) => id === attempt?.matchedComment?.platformCommentId);
    const told = attempt?.matchedComment?.removed?.how;
    if (attempt === null || comment === undefined || told === 'removed' || told === comment.withheld) return 0;
    const change = await removal(deps, withoutNote(attempt), comment, { ...found, creator });
    if (await storeChange(deps, attempt, change)) return 1;
  }
}

async function removal(
  deps: AnnounceRemovedDeps,
  attempt: Attempt,
  comment: StoredComment,
  found: CampaignWithChallenge & { readonly creator: Creator },
): Promise<Change> {
  const { visibilityAt: at = attempt.updatedAt, withheld: how = 'removed' } = comment;
  const context = attemptContext(deps, { ...found, username: lastHandle(attempt) ?? '' });
  const isAwaited = isWatched(attempt, found.campaign.terms);
  const isFinal = how === 'removed';
  const isGone = isAwaited && isFinal && (await withoutAnother(deps.storage, found, [attempt])).length > 0;
  if (isGone) return gone(attempt, { at, how }, context);
  const matchedComment = attempt.matchedComment && { ...attempt.matchedComment, removed: { at, how } };
  // A hidden comment may be shown again. Another one that counts may be gone too, although no push told of it.
  const checkAt = isFinal ? context.now : (attempt.checkAt ?? new Date(context.now.getTime() + CHECK_AGAIN_MS));
  const { after } = noted(attempt, { matchedComment, ...(isAwaited && { checkAt }) });
  return { after, outbox: announced(after, context, ['engagement.removed']) };
}
