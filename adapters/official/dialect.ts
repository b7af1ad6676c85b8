/** How one official API is asked and read. */
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { OfficialPost } from '../../core/ports/official-api.ts';
import type { PostDetails } from '../../core/ports/platform.ts';
import type { JsonObject, ReadPage, ReadPlace, ScrapingResponse, Verdict } from '../scraping/index.ts';

/** A question to the API in the name of an account. */
export interface Question<T> {
  /** The class of rates. */
  readonly endpoint: string;
  /** Of the class, for errors and circuits; the class itself by default. */
  readonly kind?: string;
  /** Path and query. */
  readonly url: string;
  readonly read: (body: JsonObject) => Verdict<T>;
  /** What it means that the object is not there; that the post is gone by default. */
  readonly gone?: Verdict<T>;
  /** It continues a list: an API that refuses a parameter means the cursor. */
  readonly isLater?: boolean;
  /** The account may lack the permission, which takes nothing else from it. */
  readonly isOptional?: boolean;
}

export type Ask = <T>(question: Question<T>) => Promise<T>;

/** Where a list of comments is read on. */
export interface Place extends OfficialPost, ReadPlace {}

/** How one API is asked and read. */
export interface OfficialDialect {
  readonly descriptor: PlatformDescriptor;
  /** Names the API as a way of reading. */
  readonly source: string;
  /** Whether it can be a post of this platform, which the reference says it is. */
  isPost(post: PostRef): boolean;
  readonly commentId: RegExp;
  /** The headers that carry the token. */
  headersOf(accessToken: string): Readonly<Record<string, string>>;
  /** What an answer means before its contents matter: the object is not there, a parameter is refused, or a verdict. */
  readAnswer(response: ScrapingResponse): Verdict<JsonObject> | 'gone' | 'bad-parameter';
  /** The post among those of the account; null if it is none of them. */
  find(ask: Ask, accountId: string, contentId: string): Promise<OfficialPost | null>;
  /** Its caption and numbers. */
  readPost(ask: Ask, post: OfficialPost): Promise<Pick<PostDetails, 'post' | 'stats'>>;
  /** One page. */
  readComments(ask: Ask, place: Place): Promise<ReadPage>;
}
