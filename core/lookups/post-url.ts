/**
 * Understanding of post URLs: which forms are accepted, what they name, and their cleaned-up form (facts: "URLs").
 * Pure; nothing is requested.
 */
import type { PlatformName } from './platform-name.ts';

/** A post named by its URL. */
export interface PostRef {
  readonly platform: PlatformName;
  readonly contentType: 'post';
  /** Instagram shortcode, or TikTok video id (decimal digits). */
  readonly contentId: string;
  readonly canonicalUrl: string;
}
