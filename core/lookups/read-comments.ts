/** `GET /v1/comments`: one page of a post's comments, with an opaque cursor; nothing is stored. */
import { z } from 'zod';
import { DomainError } from '../errors.ts';
import type { CommentPage, PlatformCallOptions } from '../ports/platform.ts';
import { type Platforms, platformOf, type ResolvePost } from './platforms.ts';
import type { PostRef } from './post-url.ts';

export interface CommentLookup {
  readonly post: PostRef;
  readonly page: CommentPage;
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null;
}

export interface ReadCommentsDeps {
  readonly platforms: Platforms;
  readonly resolvePost: ResolvePost;
}

export type ReadComments = (
  url: string,
  cursor: string | null,
  options?: PlatformCallOptions,
) => Promise<CommentLookup>;

/** @throws DomainError `VALIDATION_ERROR` for a URL that is no post URL, `INVALID_REQUEST` for a cursor that is not ours */
export function createReadComments({ platforms, resolvePost }: ReadCommentsDeps): ReadComments {
  return async (url, cursor, options) => {
    const post = await resolvePost(url, options);
    const platformCursor = cursor === null ? null : openCursor(cursor, post);
    const page = await platformOf(platforms, post.platform).getComments(post, platformCursor, options);
    return { post, page, nextCursor: page.nextCursor === null ? null : sealCursor(page.nextCursor, post) };
  };
}

/** Version, platform and post travel with the platform's cursor, so that a cursor of another post is refused. */
const cursorSchema = z.tuple([z.literal(1), z.string(), z.string(), z.string().min(1).max(8192)]);

function sealCursor(cursor: string, post: PostRef): string {
  const bytes = new TextEncoder().encode(JSON.stringify([1, post.platform, post.contentId, cursor]));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function openCursor(cursor: string, post: PostRef): string {
  const refused = new DomainError(
    'INVALID_REQUEST',
    'The cursor is not one that this post returned: start without a cursor.',
  );
  if (!/^[A-Za-z0-9_-]{1,16384}$/.test(cursor)) throw refused;
  let value: unknown;
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refused;
  }
  const parsed = cursorSchema.safeParse(value);
  if (!parsed.success || parsed.data[1] !== post.platform || parsed.data[2] !== post.contentId) throw refused;
  return parsed.data[3];
}
