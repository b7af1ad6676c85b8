/** Who has fulfilled a challenge without an attempt, as far as storage knows. Nothing is written here. */
import { askInPieces } from '../../bulk.ts';
import { authorKeys } from '../../platforms/author-key.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { NewComment } from '../challenge-data/comment.ts';
import type { Creator, LinkedCreator } from '../creators/creator.ts';
import type { Asked } from '../rules/unmet-rules.ts';
import { earliestMatch, type LinkMatch, type MatchingStorage, matchesOfLinks } from './matching.ts';
import { type AccountVerdict, judgeAccount, MET } from './requirements.ts';

export interface Candidate extends LinkMatch {
  readonly creator: Creator;
  /** Whether the account is what the challenge requires, as far as its stored profile tells. */
  readonly verdict: AccountVerdict['kind'];
}

const VERDICTS = ['met', 'unknown', 'unmet'] as const;

/**
 * The active links on the challenge's platform of creators without an attempt, by the id of the creator. They come for at most `round`
 * creators at a time, and the next ones are read meanwhile. Other work of the process runs in between.
 */
export async function* unattemptedLinks(
  { creators, attempts }: Pick<Storage, 'creators' | 'attempts'>,
  { id, platform }: Challenge,
  round: number,
): AsyncGenerator<readonly LinkedCreator[]> {
  const linksAfter = (creatorId: number) => {
    const links = creators.activeLinks(platform, creatorId, round);
    links.catch(() => {}); // It is thrown where they are awaited, if they still are.
    return links;
  };
  for (let next = linksAfter(0); ; ) {
    const links = await next;
    const last = links.at(-1);
    if (last === undefined) return;
    next = linksAfter(last.creator.id);
    const taken = await attempts.creatorsWithAttempt(id, [...new Set(links.map(({ creator }) => creator.id))]);
    yield links.filter(({ creator }) => !taken.has(creator.id));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Of the creators of these links those who match, each with the earliest comment that counts. Accounts that are what the challenge
 * requires come first, and then those that may be.
 */
export async function matchCreators(
  storage: MatchingStorage,
  asked: Asked,
  links: readonly LinkedCreator[],
  now: Date,
): Promise<readonly Candidate[]> {
  const matches = await matchesOfLinks(storage, asked, accountsIn(links));
  const { requires } = asked.challenge;
  return [...Map.groupBy(links, ({ creator }) => creator.id).values()].flatMap((own): readonly Candidate[] => {
    const judged = Map.groupBy(accountsIn(own), (link) => (requires ? judgeAccount(requires, link, now) : MET).kind);
    for (const verdict of VERDICTS) {
      const match = earliestMatch(matches, judged.get(verdict) ?? []);
      if (match !== null) return own.slice(0, 1).map(({ creator }) => ({ creator, ...match, verdict }));
    }
    return [];
  });
}

const accountsIn = (links: readonly LinkedCreator[]) => links.map(({ account }) => account);

/** The links that may be of the authors of these comments, by handle or by the id by which the app knows them; active ones by default. */
export async function linksOfAuthors(
  { creators }: { readonly creators: Pick<Storage['creators'], 'linksOf'> },
  { platform }: Challenge,
  comments: readonly Pick<NewComment, 'username' | 'scopedAuthorId'>[],
  which?: { readonly ended: boolean },
): Promise<readonly LinkedCreator[]> {
  const keys = comments.flatMap(({ username, scopedAuthorId }) => authorKeys({ username, scopedAuthorId }));
  const links = await askInPieces(keys, (some) => creators.linksOf(platform, some, which));
  return [...new Map(links.map((link) => [link.account.id, link])).values()];
}
