/** A reader of one platform over the client: it checks what is asked for, and ties cursors to their lists. */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { type PlatformDescriptor, parseHandleOf, parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { isShortLink, type PostRef, type ShortLink } from '../../core/platforms/post-url.ts';
import type {
  CommentPage,
  LikersResult,
  Platform,
  PlatformCallOptions,
  PlatformProfile,
  PostDetails,
} from '../../core/ports/platform.ts';
import { decodeCursor as decodeOpaque, encodeCursor as encodeOpaque } from '../../core/security/opaque-cursor.ts';
import { refusalOf } from './answers.ts';
import type { ScrapingClient } from './client.ts';
import type { CallTime } from './deadline.ts';
import type { CommentList, ReadPlace } from './entries.ts';

/** A page as it was read; see `CommentPage`. */
export interface ReadPage<P = string> extends CommentList, Omit<CommentPage, 'comments' | 'skipped' | 'nextCursor'> {
  /** Where the list continues; null at the end. */
  readonly next: P | null;
}

/** What was read of a post; the rest of `PostDetails` is in its reference. */
export type ReadPost = Pick<PostDetails, 'owner' | 'coauthors' | 'post' | 'stats'> &
  Partial<Pick<PostDetails, 'source'>>;

type Read<A extends readonly unknown[], T> = (time: CallTime, ...asked: A) => Promise<T>;

export interface ReaderParts<P> {
  readonly client: ScrapingClient;
  readonly descriptor: PlatformDescriptor;
  /** Which way posts and pages are read that do not say it; see `PostDetails` and `CommentPage`. */
  readonly source: string;
  /** Whether it can be a post of this platform, which the reference says it is. */
  isPost(post: PostRef): boolean;
  /** The ids of comments that there can be replies to. */
  readonly commentId: RegExp;
  /** Checks where a list continues: it comes back from strangers. */
  readonly position: z.ZodType<P>;
  readonly readPost: Read<[post: PostRef], ReadPost>;
  readonly readComments: Read<[post: PostRef, place: ReadPlace<P>], ReadPage<P>>;
  /** Or why this is `NOT_SUPPORTED`. */
  readonly readLikers: string | Read<[post: PostRef, maxCount: number], LikersResult>;
  /** Or why this is `NOT_SUPPORTED`. */
  readonly readProfile: string | Read<[handle: string], PlatformProfile | null>;
  /** Where a short link leads: to a post, or to one more link. Without it this is `NOT_SUPPORTED`. */
  readonly followLink?: Read<[url: string], PostRef | ShortLink>;
}

const MAX_HOPS = 5;

/** A reader behind the `Platform` port. */
export function createReader<P>(parts: ReaderParts<P>): Platform {
  const { client, descriptor, source, readLikers, readProfile, followLink } = parts;
  const { name, label } = descriptor;
  const refused = (what: string) => new DomainError('INVALID_REQUEST', `This cannot be ${what} on ${label}.`);

  function reading<T>(post: PostRef, call: PlatformCallOptions | undefined, read: (time: CallTime) => Promise<T>) {
    return client.within(call, post.contentId, (time) => {
      if (post.platform !== name || !parts.isPost(post)) throw refused('a reference to a post');
      return read(time);
    });
  }

  async function readPost(time: CallTime, post: PostRef): Promise<PostDetails> {
    const { contentId, canonicalUrl } = post;
    const read = await parts.readPost(time, post);
    const postUrl = descriptor.shownUrl?.(canonicalUrl, read.owner.handle) ?? canonicalUrl;
    return { platform: name, contentType: 'post', contentId, postUrl, source, ...read };
  }

  /** Cursors of another list are refused. */
  async function readPage(time: CallTime, post: PostRef, parentId: string | null, cursor: string | null) {
    if (parentId !== null && !parts.commentId.test(parentId)) throw refused('the id of a top-level comment');
    const of = parentId === null ? post.contentId : `${post.contentId}/${parentId}`;
    const after = cursor === null ? null : decodeCursor(cursor, of, parts.position);
    const { next, ...page } = await parts.readComments(time, post, { parentId, after });
    return { expectedTotal: null, source, ...page, nextCursor: next === null ? null : encodeCursor(of, next) };
  }

  return {
    name,
    supports: { likers: typeof readLikers === 'function', replies: true },
    getPost: (post, call) => reading(post, call, (time) => readPost(time, post)),
    getComments: (post, cursor, call) => reading(post, call, (time) => readPage(time, post, null, cursor)),
    getReplies: (post, commentId, cursor, call) =>
      reading(post, call, (time) => readPage(time, post, commentId, cursor)),
    async getLikers(post, maxCount, call) {
      if (typeof readLikers === 'string') throw new DomainError('NOT_SUPPORTED', readLikers);
      return await reading(post, call, (time) => readLikers(time, post, maxCount));
    },
    async getProfile(handle, call) {
      if (typeof readProfile === 'string') throw new DomainError('NOT_SUPPORTED', readProfile);
      return await client.within(call, `@${handle}`, (time) => {
        const asked = parseHandleOf(descriptor, handle);
        if (asked === null) throw refused('a handle');
        return readProfile(time, asked);
      });
    },
    async resolveShortLink(url, call) {
      const link = parsePostUrlOf(descriptor, url);
      if (link === null) throw refused('a link to a post');
      if (!isShortLink(link)) return link.canonicalUrl;
      if (followLink === undefined) {
        throw new DomainError('NOT_SUPPORTED', 'Short links are not followed here; send the full post URL.');
      }
      return await client.within(call, url, (time) => follow(descriptor, link, (each) => followLink(time, each)));
    },
    close: () => client.close(),
  };
}

/** Follows a short link one hop at a time to the URL of its post. */
async function follow(
  { name, label }: PlatformDescriptor,
  { url }: ShortLink,
  followOne: (url: string) => Promise<PostRef | ShortLink>,
): Promise<string> {
  let next = url;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    const target = await followOne(next);
    if (!isShortLink(target)) return target.canonicalUrl;
    next = target.url;
  }
  // No end is no word about the post.
  const message = `This link of ${label} leads on and on; try again later.`;
  throw refusalOf(name, 'PLATFORM_UNAVAILABLE', message, 'too-many-redirects');
}

/** A cursor of the platform's own that is a text. */
export const textPosition = z.string().min(1).max(2_048);

const cursorSchema = z.strictObject({ of: z.string(), at: z.unknown() });

/** `of` names the list: the post's id, with the comment's for replies. */
export function encodeCursor(of: string, at: unknown): string {
  return encodeOpaque({ of, at });
}

/**
 * The place in the list.
 * @throws `INVALID_REQUEST` for any text that was not handed out for this list
 */
export function decodeCursor<P>(cursor: string, of: string, position: z.ZodType<P>): P {
  const place = decodeOpaque(cursor, cursorSchema);
  const at = place?.of === of ? position.safeParse(place.at) : undefined;
  if (at?.success === true) return at.data;
  throw new DomainError(
    'INVALID_REQUEST',
    'The cursor is not one that was handed out for this list; begin without one.',
  );
}
