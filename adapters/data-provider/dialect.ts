/** How a provider is asked about one platform, and how its answers are read. */
import { DomainError } from '../../core/errors.ts';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { LikersResult, PlatformProfile } from '../../core/ports/platform.ts';
import {
  clearRefusal,
  DRIFTED,
  type JsonObject,
  type ReadPage,
  type ReadPlace,
  type ReadPost,
  type Verdict,
} from '../scraping/index.ts';
import type { Reading } from './answers.ts';

/** A path, and what is asked for there. */
export type Question = readonly [path: string, query: Readonly<Record<string, string>>];

export interface Questions {
  post(post: PostRef): Question;
  comments(post: PostRef, cursor: string | null): Question;
  replies(post: PostRef, commentId: string, cursor: string | null): Question;
  profile(handle: string): Question;
  likers?(post: PostRef): Question;
}

/** The questions of ScrapeCreators, which takes posts by their URL. */
export function byUrl(paths: Readonly<Record<'post' | 'comments' | 'replies' | 'profile', string>>): Questions {
  const at = (cursor: string | null): Record<string, string> => (cursor === null ? {} : { cursor });
  return {
    post: ({ canonicalUrl: url }) => [paths.post, { url }],
    comments: ({ canonicalUrl: url }, cursor) => [paths.comments, { url, ...at(cursor) }],
    replies: ({ canonicalUrl: url }, commentId, cursor) => [
      paths.replies,
      { url, comment_id: commentId, ...at(cursor) },
    ],
    profile: (handle) => [paths.profile, { handle }],
  };
}

export interface ProviderDialect {
  readonly descriptor: PlatformDescriptor;
  readonly questions: Questions;
  isPost(post: PostRef): boolean;
  readonly commentId: RegExp;
  readPost(body: JsonObject, post: PostRef, reading: Reading): Verdict<ReadPost>;
  readProfile(body: JsonObject, handle: string, reading: Reading): Verdict<PlatformProfile | null>;
  readComments(body: JsonObject, place: ReadPlace, post: PostRef): Verdict<ReadPage>;
  /** Of providers that say who liked a post. */
  readLikers?(body: JsonObject): Verdict<LikersResult>;
}

export function unavailable(reason: string, { platform }: Reading): Verdict<never> {
  return clearRefusal(platform, 'POST_UNAVAILABLE', 'The post exists but is kept from readers like us.', reason);
}

/** The readers of Instagram's answers throw at a shape that they do not know. */
export function unlessDrifted<T>(read: () => T): Verdict<T> {
  try {
    return { kind: 'ok', value: read() };
  } catch (error) {
    if (error instanceof DomainError) return DRIFTED;
    throw error;
  }
}
