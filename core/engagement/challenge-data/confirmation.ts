/** Reading a post once more in another way, if what one way shows proves nothing. */
import type { CommentStore } from '../../ports/comment-store.ts';
import type { CommentPage, Platform } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { ifReadable } from './platform-failure.ts';
import type { WalkDeps } from './sweep-deps.ts';
import { walkComments } from './sweep-walk.ts';

/** What a walk was shown, and by whom; for `WalkDeps.onPage`. */
export function createWitness() {
  const ids = new Set<string>();
  const sources = new Set<string>();
  return {
    ids,
    sources,
    onPage({ comments, source }: CommentPage) {
      for (const { id } of comments) ids.add(id);
      if (source !== undefined) sources.add(source);
    },
  };
}

/**
 * Whether a way of reading that the first walk did not use shows the same comments, all of them and no others. Stores what it
 * reads, and no progress: its cursors mean nothing to the first way. False if there is no such way, or it cannot read the post
 * to its end.
 * @throws what the storage throws, and the signal's reason
 */
export async function isConfirmed(
  deps: WalkDeps,
  start: SweepProgress,
  first: ReturnType<typeof createWitness>,
): Promise<boolean> {
  const platform = unusedWay(deps.platform, first.sources);
  if (platform === null) return false;
  const second = createWitness();
  const withReplies = deps.withReplies && platform.supports.replies;
  const walkDeps = {
    ...deps,
    platform,
    withReplies,
    comments: withoutProgress(deps.comments),
    onPage: second.onPage,
    // The two lists are compared with each other.
    askTotal: async () => null,
  };
  const facts = { challengeId: start.challengeId };
  const read = () => walkComments(walkDeps, start);
  const ended = await ifReadable(deps, facts, 'no second reading of the comments', read);
  // Two ways that cannot read replies agree about the rest only.
  return ended?.historyComplete === true && ended.skipped === 0 && agree(first.ids, second.ids);
}

function unusedWay(platform: Platform, used: ReadonlySet<string>): Platform | null {
  const isUsed = (name: string) => [...used].some((source) => source.startsWith(`${name}/`));
  // Without a word from the first walk any way may have been its own.
  if (used.size === 0) return null;
  return platform.ways?.find(({ name }) => !isUsed(name))?.platform ?? null;
}

/** Two empty lists agree about nothing: a platform that refuses quietly shows the same. */
function agree(first: ReadonlySet<string>, second: ReadonlySet<string>): boolean {
  return first.size > 0 && first.size === second.size && [...first].every((id) => second.has(id));
}

function withoutProgress(comments: CommentStore): CommentStore {
  return {
    ...comments,
    insertNew: (challengeId, added, now) => comments.insertNew(challengeId, added, now),
    saveSweep: async () => {},
  };
}
