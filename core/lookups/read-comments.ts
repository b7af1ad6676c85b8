/** One page of a post's comments, with an opaque cursor; nothing is stored. */
import { z } from 'zod';
import type { UseCaseParts } from '../engagement/use-case-parts.ts';
import { DomainError } from '../errors.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { PostRef } from '../platforms/post-url.ts';
import type { CommentPage, PlatformCallOptions, PlatformComment } from '../ports/platform.ts';
import { decodeCursor, encodeCursor } from '../security/opaque-cursor.ts';

export interface CommentLookup {
  readonly post: PostRef;
  /** The page's top-level comments. */
  readonly comments: readonly PlatformComment[];
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null;
}

/** What a lookup by a post's URL needs. */
export type LookupDeps = Pick<UseCaseParts, 'platforms' | 'resolvePost'>;

/**
 * @throws DomainError `VALIDATION_ERROR` for a URL that is no post URL, `INVALID_REQUEST` for a cursor that is not ours.
 * `PLATFORM_UNAVAILABLE` for a list that ended silently
 */
export function readComments(deps: LookupDeps) {
  return async (url: string, cursor: string | null, options?: PlatformCallOptions): Promise<CommentLookup> => {
    const post = await deps.resolvePost(url, options);
    const platformCursor = cursor === null ? null : openCursor(cursor, post);
    const page = await platformOf(deps.platforms, post.platform).getComments(post, platformCursor, options);
    if (platformCursor === null && endedSilently(page)) {
      const message = 'The post has comments, and the platform shows none of them; try again later.';
      throw new DomainError('PLATFORM_UNAVAILABLE', message, { details: { reason: 'empty-list' } });
    }
    return {
      post,
      // Of a thread's replies a page shows some, or none: they would be neither marked nor complete.
      comments: page.comments.filter(({ parentId }) => parentId === null),
      // A cursor that leads to itself would never end.
      nextCursor:
        page.nextCursor === null || page.nextCursor === platformCursor ? null : sealCursor(page.nextCursor, post),
    };
  };
}

/** Whether a list without comments says itself that there are some: an answer of nothing would deny them. */
function endedSilently({ comments, nextCursor, expectedTotal, skipped = 0 }: CommentPage): boolean {
  return comments.length === 0 && nextCursor === null && ((expectedTotal ?? 0) > 0 || skipped > 0);
}

/** Version, platform and post travel with the platform's cursor, so that a cursor of another post is refused. */
const cursorSchema = z.tuple([z.literal(1), z.string(), z.string(), z.string().min(1).max(8192)]);

function sealCursor(cursor: string, post: PostRef): string {
  return encodeCursor([1, post.platform, post.contentId, cursor]);
}

function openCursor(cursor: string, post: PostRef): string {
  const [, platform, contentId, platformCursor] = decodeCursor(cursor, cursorSchema) ?? [];
  if (platformCursor === undefined || platform !== post.platform || contentId !== post.contentId) {
    throw new DomainError('INVALID_REQUEST', 'The cursor is not one that this post returned: start without a cursor.');
  }
  return platformCursor;
}
