/**
 * What the provider's words say about a post or a profile. They are believed only if they name it as missing or private. A server
 * that lost its session, its proxy or its route says "not found" as well, and then nobody knows about the post.
 */

/** What was asked for. */
export type Subject = 'post' | 'profile';

export type Word = 'not-found' | 'private' | 'age-restricted';

/** What the platforms, and so the provider, call what was asked for. */
const POST = '(?:post|media|video|reel|item|photo|aweme|shortcode)';
const PROFILE = '(?:user|username|profile|account|handle)';
/** What may come before the noun: nothing that makes it another one ("API user", "your account", "proxy for this post"). */
const START =
  '(?:^|[.,:;!?("\\n]\\s?)(?:(?:the|this|that|requested|instagram|tiktok|sorry|oops|error|because|owner.s|author.s)[ ,]{1,2}){0,4}';
/** What may come between the noun and the verb: its own name, no other noun. */
const NAMED =
  '(?: with (?:id|username|handle|shortcode) \\S{1,64}| ["\'@(]\\S{1,64}| (?=[\\w.-]{0,64}\\d)[\\w.-]{1,64})?';
const MISSING =
  '(?: (?:was|is))? not found|(?: wasn.t| (?:could ?not|couldn.t|cannot|can.t) be) found| (?:does not|doesn.t) exist| no longer exists| (?:was|is|has been|was already) (?:deleted|removed)';
/** In a store of the provider's own it may be missing while the platform has it. */
const NOT_ELSEWHERE = '(?! (?:in|on|within|from) (?!instagram\\b|tiktok\\b))';
/** The noun ends its phrase: "post scraper" is no post. */
const END = '(?= ?(?:$|[.,:;!?)"\\n]| (?:with|and|or|that|is|was|has|cannot|could)\\b))';
const LOOKED_FOR = '(?:\\bno such|(?:could ?n.t|could not|cannot|can.t|unable to|failed to) find)';

interface Patterns {
  readonly missing: readonly RegExp[];
  readonly private: readonly RegExp[];
}

function patternsOf(noun: string, owned: string): Patterns {
  const pattern = (source: string): RegExp => new RegExp(source, 'i');
  return {
    missing: [
      pattern(`${START}${noun}${NAMED}(?:${MISSING})\\b${NOT_ELSEWHERE}`),
      pattern(`${LOOKED_FOR} (?:(?:the|this|that|a|any|requested|instagram|tiktok) ){0,3}${noun}${END}`),
      pattern(`${START}(?:there is )?no ${noun} (?:was )?(?:found|exists)\\b${NOT_ELSEWHERE}`),
    ],
    private: [
      pattern(`${START}${owned}${NAMED} (?:is|was|has been|was set to|is set to) private\\b${END}`),
      pattern(`\\bprivate (?:instagram |tiktok )?${owned}s?${END}`),
      pattern(`\\bnot authorized to view (?:the |this |that )?${owned}\\b${END}`),
    ],
  };
}

const PATTERNS: Readonly<Record<Subject, Patterns>> = {
  post: patternsOf(POST, `(?:${POST}|${PROFILE})`),
  profile: patternsOf(PROFILE, PROFILE),
};
const AGE_RESTRICTED =
  /\bage[- ]?(?:restricted|gated|verification)|restricted (?:post|video|media|reel)|\bmust be 1[68]\b/i;

/** What the message says about the subject; null if it says nothing about it. */
export function wordOn(subject: Subject, message: string): Word | null {
  // `post_not_found` is a word of programs for the same.
  const text = message.trim().replace(/^\w+$/gm, (word) => word.replaceAll('_', ' '));
  const patterns = PATTERNS[subject];
  if (patterns.private.some((pattern) => pattern.test(text))) return 'private';
  if (subject === 'post' && AGE_RESTRICTED.test(text)) return 'age-restricted';
  return patterns.missing.some((pattern) => pattern.test(text)) ? 'not-found' : null;
}
