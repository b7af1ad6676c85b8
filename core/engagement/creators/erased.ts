/** What stays of a creator whose personal data is erased: ids, states, points and counts. Every text about the person goes. */
import type { PlatformName } from '../../platforms/platform-name.ts';
import { type Attempt, REVIEWED } from '../attempts/attempt.ts';
import { rulesOf } from '../attempts/states.ts';
import type { Delivery } from '../webhooks/webhook.ts';
import { type Creator, knownAccountId, type SocialAccount } from './creator.ts';
import { placeholderEmail } from './placeholder-email.ts';

/** Takes the place of erased texts. No handle and no number of an account looks like it. */
export const ERASED = '[erased]';
/** Takes the place of the body of a delivery. */
export const ERASED_BODY = JSON.stringify({ erased: true });

/** Whether the creator was erased. */
export const wasErased = ({ id, externalId }: Creator) => externalId.startsWith(`erased-${id}-`);

/** The creator without personal data. One that was erased before keeps its `externalId`. */
export function erasedCreator(creator: Creator, suffix: string): Creator {
  const externalId = wasErased(creator) ? creator.externalId : `erased-${creator.id}-${suffix}`;
  return { ...creator, externalId, email: placeholderEmail(externalId), displayName: null, avatarUrl: null };
}

/** The link without handle, profile and number, ended. Its id stays taken: events of links are known by it. */
export function erasedAccount(account: SocialAccount, now: Date): SocialAccount {
  return {
    ...account,
    platformUsername: `[erased-${account.id}]`,
    profileData: {},
    ownershipProven: false,
    platformAccountId: null,
    rememberedAccountId: null,
    ...(account.scopedAccountId === undefined ? {} : { scopedAccountId: ERASED }),
    disconnectedAt: account.disconnectedAt ?? now,
  };
}

/** Returns true if verification has still to decide the attempt, or its points are about to be issued. */
export function isUnderWay({ state, verificationDeadline, held }: Attempt): boolean {
  const { open, awaits } = rulesOf(state);
  // A held reward may wait for months; then it is not issued any more.
  return (awaits !== null && held == null) || (open && verificationDeadline !== null);
}

/** Returns true if the creator was erased after the attempt was made. */
export function isErased({ metadata }: Attempt): boolean {
  return metadata.platformUsername === ERASED;
}

/** The attempt without handles and comments; null if there is nothing to erase. */
export function erasedAttempt(attempt: Attempt): Attempt | null {
  const { metadata, matchedComment, stateHistory, revision, held, checkAt } = attempt;
  if (isErased(attempt)) return null;
  return {
    ...attempt,
    metadata: { ...(metadata.origin === undefined ? {} : { origin: metadata.origin }), platformUsername: ERASED },
    matchedComment: matchedComment && { commentText: ERASED, commentedAt: matchedComment.commentedAt },
    // Nobody can be looked for any more.
    ...(held && { held: { why: 'gone', since: held.since } }),
    ...(checkAt && { checkAt: null }),
    ...(attempt.review && { review: { ...attempt.review, reason: ERASED } }),
    stateHistory: stateHistory.map((entry) => ({ ...entry, reason: withoutNotes(entry.reason) })),
    revision: revision + 1,
  };
}

/** The delivery without its body and what receivers answered. A pending one is cancelled. */
export function erasedDelivery({ status, tries, finishedAt }: Delivery, now: Date): Partial<Delivery> {
  return {
    body: ERASED_BODY,
    status: status === 'pending' ? 'cancelled' : status,
    tries: tries.map(({ response, ...one }) => one),
    nextTryAt: null,
    finishedAt: finishedAt ?? now,
  };
}

/** Handles are named in the note behind the reason itself. What a reviewer wrote may name anything. */
function withoutNotes(reason: string): string {
  const isWritten = Object.values(REVIEWED).some((decided) => reason.startsWith(`${decided}:`));
  return isWritten || reason.includes('@') ? (reason.split(':')[0] ?? '') : reason;
}

/** By what comments and likes of a creator are found on one platform. */
export interface OwnKeys {
  readonly platform: PlatformName;
  /** Numbers of accounts. */
  readonly numbers: readonly string[];
  /** Ids by which apps know accounts. */
  readonly scoped: readonly string[];
  /** Handles of accounts whose numbers are not known. */
  readonly handles: readonly string[];
  /** Handles of accounts whose numbers are known: what another number has written under them is another person's. */
  readonly unnumbered: readonly string[];
}

/** The keys of a creator's accounts, without those of accounts that `others`, active links of other creators, have as well. */
export function ownKeys(accounts: readonly SocialAccount[], others: readonly SocialAccount[]): readonly OwnKeys[] {
  return [...Map.groupBy(accounts, ({ platform }) => platform)].map(([platform, links]) => {
    const rivals = others.filter((other) => other.platform === platform);
    const heldNumbers = new Set(rivals.map(knownAccountId));
    const heldScoped = new Set(rivals.map(({ scopedAccountId }) => scopedAccountId));
    const heldHandles = new Set(rivals.map(({ platformUsername }) => platformUsername));
    const isKnown = (link: SocialAccount) => knownAccountId(link) !== null;
    const own = links.filter((link) => !isKnown(link) || !heldNumbers.has(knownAccountId(link)));
    const handlesOf = (some: readonly SocialAccount[]) =>
      some.map(({ platformUsername }) => platformUsername).filter((handle) => !heldHandles.has(handle));
    return {
      platform,
      numbers: [...new Set(own.flatMap((link) => knownAccountId(link) ?? []))],
      scoped: own.flatMap(({ scopedAccountId: id }) => (id === undefined || heldScoped.has(id) ? [] : [id])),
      handles: handlesOf(own.filter((link) => !isKnown(link))),
      unnumbered: handlesOf(own.filter(isKnown)),
    };
  });
}

/** What the body of an event about a creator's account contains, as `eventBody` writes it. */
export function bodyMark(userId: number): string {
  return `"data":{"userId":${userId},`;
}
