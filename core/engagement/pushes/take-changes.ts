/** What a platform pushes of connected accounts: stored, and decided on, before the platform is answered. */
import { MOST_ASKED } from '../../bulk.ts';
import { gathered } from '../../gather.ts';
import { type AuthorKey, scopedKey } from '../../platforms/author-key.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { OfficialAccounts, OfficialApi, OfficialPost, PushedChange } from '../../ports/official-api.ts';
import { announceRemoved } from '../attempts/announce-removed.ts';
import { linksOfAuthors } from '../attempts/candidates.ts';
import { decideByComments } from '../attempts/decide-by-comments.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import type { NewComment } from '../challenge-data/comment.ts';
import type { SettleCommentsDeps } from './settle-comments.ts';

export interface TakeChangesDeps extends SettleCommentsDeps {
  readonly accounts: OfficialAccounts;
  readonly api: OfficialApi;
  /** Reads the comments of a challenge: it tells the handles of authors whom the platform names by id only. */
  readonly readAgain: (challengeId: number) => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Stores what was pushed, and resolves when it is decided. @throws what the storage throws; then the platform repeats the push */
export type TakeChanges = (changes: readonly PushedChange[]) => Promise<void>;

/**
 * Takes pushes of one platform. Those that come in one moment share their statements. Everything is idempotent: a push that comes twice,
 * late or out of order changes nothing that a later one has told. Changes of posts without a campaign, and of accounts that no brand
 * has connected, are left out.
 */
export function takeChanges(deps: TakeChangesDeps): TakeChanges {
  const together = gathered(async (pushes: readonly (readonly PushedChange[])[]) => {
    const byPost = Map.groupBy(pushes.flat(), ({ accountId, postApiId }) => JSON.stringify([accountId, postApiId]));
    for (const changes of byPost.values()) await takeOfPost(deps, changes);
    return new Map<readonly PushedChange[], never>();
  });
  return async (changes) => {
    await together(changes);
  };
}

async function takeOfPost(deps: TakeChangesDeps, changes: readonly PushedChange[]): Promise<void> {
  const [first] = changes;
  for (const found of first === undefined ? [] : await campaignsOf(deps, first)) {
    const { id } = found.challenge;
    const { comments } = deps.storage;
    const added = changes.filter(({ action }) => action === 'added').map(toNewComment);
    const withheld = changes.filter(({ action }) => action !== 'added');
    if (added.length > 0) await comments.insertNew(id, added, deps.clock.now());
    if (withheld.length > 0) {
      await comments.withhold(id, withheld.map(toVisibility));
      await announceRemoved(deps, found, new Date(Math.min(...withheld.map(({ at }) => at.getTime()))));
    }
    await decideOn(deps, found, added);
  }
}

const toNewComment = ({ commentId, parentId, handle, scopedAuthorId, text, at }: PushedChange): NewComment => ({
  platformCommentId: commentId,
  username: handle,
  authorId: null,
  scopedAuthorId,
  isReply: parentId !== null,
  commentText: text,
  commentedAt: at,
});

const toVisibility = ({ commentId, action, at }: PushedChange) => ({
  platformCommentId: commentId,
  withheld: action === 'shown' ? null : action === 'hidden' ? ('hidden' as const) : ('removed' as const),
  at,
});

/** The campaigns about the post of brands that have connected its account. */
async function campaignsOf(
  deps: TakeChangesDeps,
  { accountId, postApiId }: PushedChange,
): Promise<readonly CampaignWithChallenge[]> {
  const { accounts, storage, api } = deps;
  const { platform } = api;
  const post = await postOf(deps, accountId, postApiId);
  if (post === null) return [];
  const campaigns = await storage.campaigns.ofPost({ platform, contentId: post.contentId });
  const isOwn = async (brandId: number) =>
    (await accounts.of(platform, brandId)).some((account) => account.accountId === (accountId ?? post.accountId));
  const brandIds = [...new Set(campaigns.map(({ campaign }) => campaign.brandId))];
  const own = new Map(await Promise.all(brandIds.map(async (id) => [id, await isOwn(id)] as const)));
  return campaigns.filter(({ campaign }) => own.get(campaign.brandId));
}

/** If the platform does not say whose post it is, it counts once it was read for its account; a listing finds what came before. */
async function postOf(
  { accounts, api }: TakeChangesDeps,
  accountId: string | null,
  apiId: string,
): Promise<OfficialPost | null> {
  const known = await accounts.findPost(api.platform, { apiId });
  if (known !== null || accountId === null) return known;
  const account = await accounts.byAccountId(api.platform, accountId);
  const contentId = account === null ? null : await api.contentIdOf(account, apiId);
  if (contentId === null) return null;
  const post = { contentId, apiId, accountId };
  await accounts.rememberPosts(api.platform, [post]);
  return post;
}

async function decideOn(
  deps: TakeChangesDeps,
  found: CampaignWithChallenge,
  added: readonly NewComment[],
): Promise<void> {
  const links = await linksOfAuthors(deps.storage, found.challenge, added);
  await decideByComments(deps, found, links, idsByHandle(added), deps.signal);
  const known = new Set(links.map(({ account }) => account.scopedAccountId));
  const nameless = added.flatMap(({ username, scopedAuthorId: id }) =>
    username === '' && id != null && !known.has(id) ? [scopedKey(id)] : [],
  );
  if (nameless.length > 0) void decideOnNameless(deps, found, nameless);
}

/** Whose account it is only a list tells. The platform is not kept waiting for it, and what fails is made good by the next listing. */
async function decideOnNameless(
  deps: TakeChangesDeps,
  found: CampaignWithChallenge,
  authors: readonly AuthorKey[],
): Promise<void> {
  const { storage, logger, readAgain } = deps;
  const { id, countHidden } = found.challenge;
  try {
    await readAgain(id);
    const asked = authors.slice(0, MOST_ASKED);
    const named = await storage.comments.earliestByAuthors(id, asked, undefined, countHidden);
    const comments = [...named.values()];
    const links = await linksOfAuthors(storage, found.challenge, comments);
    await decideByComments(deps, found, links, idsByHandle(comments), deps.signal);
  } catch (err) {
    logger.info({ challengeId: id, err }, 'authors of pushed comments are not known yet');
  }
}

/** By which id the app knows the authors of comments that were just told. */
function idsByHandle(comments: readonly NewComment[]): ReadonlyMap<string, string> {
  return new Map(
    comments.flatMap(({ username, scopedAuthorId: id }) =>
      username === '' || id == null ? [] : [[normaliseHandle(username), id] as const],
    ),
  );
}
