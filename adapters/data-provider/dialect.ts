/** How the provider's answers about one platform are asked for and read. */
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { PlatformComment, PlatformProfile, PostDetails } from '../../core/ports/platform.ts';
import { clearRefusal, type JsonObject, type ListPlace, type Verdict } from '../scraping/index.ts';
import type { Reading } from './answers.ts';

export interface CommentList {
  readonly comments: readonly PlatformComment[];
  /** The provider's own cursor. */
  readonly next: string | null;
  /** See `CommentPage`. */
  readonly expectedTotal: number | null;
  readonly skipped: number;
}

/** Which list a page is of; `parentId` is null for top-level comments. */
export interface CommentPlace extends ListPlace {
  readonly parentId: string | null;
}

export interface ProviderDialect {
  readonly descriptor: PlatformDescriptor;
  readonly paths: {
    readonly post: string;
    readonly comments: string;
    readonly replies: string;
    readonly profile: string;
  };
  isPost(post: PostRef): boolean;
  readonly commentId: RegExp;
  readPost(body: JsonObject, post: PostRef, reading: Reading): Verdict<PostDetails>;
  readProfile(body: JsonObject, handle: string, reading: Reading): Verdict<PlatformProfile | null>;
  readComments(body: JsonObject, place: CommentPlace, post: PostRef): Verdict<CommentList>;
}

/** `PostDetails.source` of what was read here. */
export const SOURCE = 'data-provider';

export function unavailable(reason: string, { platform }: Reading): Verdict<never> {
  return clearRefusal(platform, 'POST_UNAVAILABLE', 'The post exists but is kept from readers like us.', reason);
}
