/**
 * What Credence has to know of a platform besides how it is read: one `PlatformDescriptor` for each platform, in the folder of
 * its adapter. Data and pure functions only; nothing outside the folder names the platform.
 */
import { normaliseHandle } from './handle.ts';
import type { OwnershipRules } from './ownership-rules.ts';
import type { PlatformName } from './platform-name.ts';
import { type ContentType, type PostRef, parseWebUrl, type ShortLink } from './post-url.ts';

/** What a challenge may ask for. */
export const CHALLENGE_ACTIONS = ['comment', 'like'] as const;
/** What a creator has to do with the post of a challenge. */
export type ChallengeAction = (typeof CHALLENGE_ACTIONS)[number];

/** A form of post URL that names its post without a request. */
export interface PostUrlForm {
  /** For people, in messages: `/p/…`. */
  readonly shown: string;
  /** Matches the path of such a URL, and of no other form. Without it, a post is not checked by this form before a campaign. */
  readonly path?: RegExp;
}

/** What a platform is: its names, URLs, handles and abilities. Knows nothing of how it is read. */
export interface PlatformDescriptor {
  /**
   * Part of stored data, requests and cursors, so it never changes: 2 to 20 lower-case letters and digits, a letter first.
   */
  readonly name: PlatformName;
  /** The platform's own spelling of its name, for messages and pages. */
  readonly label: string;
  /** The hosts of its URLs, in lower case. They are compared exactly, and no two platforms have one in common. */
  readonly hosts: readonly [string, ...string[]];
  /** What its URLs lead to. */
  readonly contentTypes: readonly [ContentType, ...ContentType[]];
  /**
   * The post or short link that a URL names. `url` is http or https, has one of `hosts`, and no credentials or port. Returns null
   * for every page that is no post: profiles, stories, searches.
   */
  parseUrl(url: URL): PostRef | ShortLink | null;
  /** The cleaned-up URL of the post with this id. */
  canonicalUrl(contentId: string): string;
  /** A canonical URL with the owner's handle in it, if the platform's URLs have one. By default the canonical URL as it is. */
  shownUrl?(canonicalUrl: string, ownerHandle: string): string;
  /** When the post was made, if its id tells. */
  postedAt?(contentId: string): Date | null;
  /** All forms of post URLs and short links, for messages about unusable ones. Those with a `path` check a post before a campaign. */
  readonly postUrlForms: readonly [PostUrlForm, ...PostUrlForm[]];
  /** Whether a normalised handle (`normaliseHandle`) could exist on the platform. */
  isHandle(handle: string): boolean;
  /**
   * Why a text, as somebody has typed it, is no handle although it looks like one: the id of an account, for example. A sentence
   * that says what to give instead; null if nothing is against it.
   */
  whyNoHandle?(raw: string): string | null;
  /** What a challenge may ask for. `like` needs a platform that shows who liked a post. */
  readonly actions: readonly [ChallengeAction, ...ChallengeAction[]];
  /** Whether a sweep reads the replies to every comment too. If not, only replies that come with the comments are stored. */
  readonly sweepsReplies: boolean;
  /** What of the platform shows, in a web proof, that somebody controls a profile. Without it only the code in the bio does. */
  readonly ownership?: OwnershipRules;
}

/** The post or short link that a text names as a URL of this platform; null for everything else. */
export function parsePostUrlOf(descriptor: PlatformDescriptor, text: string): PostRef | ShortLink | null {
  const url = parseWebUrl(text);
  return url !== null && descriptor.hosts.includes(url.hostname) ? descriptor.parseUrl(url) : null;
}

/** The reference to a post that is known by its id. */
export function postRefOf(descriptor: PlatformDescriptor, contentId: string): PostRef {
  const { name: platform } = descriptor;
  return { platform, contentType: 'post', contentId, canonicalUrl: descriptor.canonicalUrl(contentId) };
}

/** The normalised handle, or null when the text (a URL, say) cannot be a handle on the platform. */
export function parseHandleOf(descriptor: PlatformDescriptor, raw: string): string | null {
  const handle = normaliseHandle(raw);
  return descriptor.isHandle(handle) ? handle : null;
}
