/** What may be worth a look at a verified attempt. A signal decides nothing by itself. */
import { askInPieces } from '../../bulk.ts';
import { gathered } from '../../gather.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { wordsOf } from '../rules/comment-text.ts';
import { copiesAmong } from '../rules/judge-comments.ts';
import type { Needs } from '../use-case-parts.ts';
import { SIGNAL_NAMES, type SignalName } from './attempt.ts';
import type { LinkMatch } from './matching.ts';

/** What each signal means, in one sentence for people. */
export const SIGNALS: Readonly<Record<SignalName, string>> = {
  'shared-account': 'The handle is linked to several creators.',
  'same-text': 'Another account wrote the same text of at least three words before.',
  burst: 'At least 10 comments came within 10 seconds, more than half of those of 2 minutes.',
  'new-account': 'The account was less than a week old.',
  'first-second': 'The comment came within a second of the post or of the start of the campaign.',
};

/** What is known of an engagement. */
export interface SignalFacts {
  /** Whether several creators have linked the handle. */
  readonly isShared: boolean;
  /** Whether another account wrote the same text before. */
  readonly isCopied: boolean;
  /** Null for a like. */
  readonly commentedAt: Date | null;
  /** Comments within `BURST_MS` before or after, and within `AROUND_MS`, this one included. */
  readonly near: number;
  readonly around: number;
  /** When the account was made: ISO 8601. */
  readonly accountCreatedAt: string | undefined;
  /** When the post and the campaign began, as far as is known. */
  readonly beginnings: readonly Date[];
  readonly now: Date;
}

export const BURST_MS = 5_000;
export const AROUND_MS = 60_000;
/** As many comments as a burst has at least. */
export const BURST = 10;
/** A post may have any number of comments in a minute. */
const MOST_COUNTED = 500;
const FEWEST_WORDS = 3;
const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

export function signalsOf(facts: SignalFacts): readonly SignalName[] {
  const { isShared, isCopied, commentedAt, near, around, accountCreatedAt, beginnings, now } = facts;
  const isFirst = (begin: Date) => commentedAt !== null && [0, 1].includes(secondOf(commentedAt) - secondOf(begin));
  const is: Readonly<Record<SignalName, boolean>> = {
    'shared-account': isShared,
    'same-text': isCopied,
    burst: near >= BURST && near * 2 > around,
    'new-account': accountCreatedAt !== undefined && now.getTime() - Date.parse(accountCreatedAt) < WEEK_MS,
    'first-second': beginnings.some(isFirst),
  };
  return SIGNAL_NAMES.filter((name) => is[name]);
}

/** Platforms tell whole seconds. */
const secondOf = (time: Date) => Math.floor(time.getTime() / 1_000);

export interface SignalDeps extends Needs<'comments' | 'creators', 'clock'> {
  readonly platforms: Pick<PlatformRegistry, 'describe'>;
}

/** Only campaigns that ask for something have signals: rules, requirements, limits or terms. */
const areAsked = ({ campaign, challenge }: CampaignWithChallenge) =>
  (challenge.rules ?? challenge.requires ?? campaign.limits ?? campaign.terms) != null;

/** As `findSignals`, of one match; for matches of one moment the storage is asked together. */
export function createFindSignals(deps: SignalDeps) {
  interface One {
    readonly found: CampaignWithChallenge;
    readonly match: LinkMatch;
  }
  const find = gathered(async (all: readonly One[]) => {
    const byChallenge = [...Map.groupBy(all, ({ found }) => found.challenge.id).values()];
    const signals = byChallenge.map(async (own) => {
      const matches = own.map(({ match }) => match);
      const of = own[0] && (await findSignals(deps, own[0].found, matches));
      return own.map((one) => [one, of?.get(one.match)] as const);
    });
    return new Map((await Promise.all(signals)).flat());
  });
  return async (found: CampaignWithChallenge, match: LinkMatch): Promise<readonly SignalName[] | undefined> =>
    areAsked(found) ? await find({ found, match }) : undefined;
}

/** The signals of these matches; none of those without any. */
export async function findSignals<M extends LinkMatch>(
  deps: SignalDeps,
  found: CampaignWithChallenge,
  matches: readonly M[],
): Promise<ReadonlyMap<M, readonly SignalName[]>> {
  if (!areAsked(found) || matches.length === 0) return new Map();
  const { campaign, challenge } = found;
  const { storage } = deps;
  const now = deps.clock.now();
  const { id, platform, contentId } = challenge;
  const [shared, copied, counts] = await Promise.all([
    sharedHandles(storage, platform, matches),
    copiedTexts(storage, id, matches),
    countsAround(storage, id, matches),
  ]);
  const postedAt = deps.platforms.describe(platform).postedAt?.(contentId) ?? null;
  const begin = campaign.startsAt ?? campaign.createdAt;
  return new Map(
    matches.flatMap((one) => {
      const commentedAt = one.match.comment?.commentedAt ?? null;
      const names = signalsOf({
        isShared: shared.has(one.link.platformUsername),
        isCopied: copied.has(one),
        commentedAt,
        ...counts(commentedAt),
        accountCreatedAt: one.link.profileData.created_at,
        beginnings: postedAt === null ? [begin] : [postedAt, begin],
        now,
      });
      return names.length === 0 ? [] : [[one, names] as const];
    }),
  );
}

/** The handles of these matches that several creators have linked. A creator has one link of a handle. */
export async function sharedHandles(
  { creators }: Pick<Storage, 'creators'>,
  platform: PlatformName,
  matches: readonly LinkMatch[],
): Promise<ReadonlySet<string>> {
  const handles = matches.map(({ link }) => link.platformUsername);
  const links = await askInPieces(handles, (some) => creators.linksOf(platform, some));
  const byHandle = Map.groupBy(links, ({ account }) => account.platformUsername);
  return new Set([...byHandle].flatMap(([handle, { length }]) => (length > 1 ? [handle] : [])));
}

async function copiedTexts<M extends LinkMatch>(
  { comments }: SignalDeps['storage'],
  challengeId: number,
  matches: readonly M[],
): Promise<ReadonlySet<M>> {
  const said = matches.flatMap((one) => {
    const { comment, handle, accountId, scopedId } = one.match;
    if (comment === null || wordsOf(comment.commentText).trim().split(' ').length < FEWEST_WORDS) return [];
    return { one, username: handle, authorId: accountId, scopedAuthorId: scopedId, commentText: comment.commentText };
  });
  return new Set([...(await copiesAmong(comments, challengeId, said))].map(({ one }) => one));
}

async function countsAround({ comments }: SignalDeps['storage'], challengeId: number, matches: readonly LinkMatch[]) {
  const times = matches.flatMap(({ match }) => match.comment?.commentedAt.getTime() ?? []);
  const count = async (asked: Iterable<number>, withinMs: number) => {
    const countSome = (some: readonly number[]) => {
      const dates = some.map((time) => new Date(time));
      return comments.countAround(challengeId, dates, withinMs, MOST_COUNTED);
    };
    return new Map(await askInPieces(asked, countSome));
  };
  const near = await count(times, BURST_MS);
  const bursts = [...near].flatMap(([time, comments]) => (comments >= BURST ? [time] : []));
  const around = await count(bursts, AROUND_MS);
  return (at: Date | null) => {
    const time = at?.getTime() ?? Number.NaN;
    return { near: near.get(time) ?? 0, around: around.get(time) ?? 0 };
  };
}
