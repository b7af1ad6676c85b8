/** Rules for comments as a form holds them. */
import type { CampaignDetail, CredenceClient } from '@credence/client';

export type CommentRules = NonNullable<CampaignDetail['challenge']['rules']>;
export type RulesPreview = Awaited<ReturnType<CredenceClient['campaigns']['previewRules']>>;
export type UnmetRule = RulesPreview['examples'][number]['unmetRules'][number];

/** Lists have commas between. */
export interface RuleFields {
  readonly any: string;
  readonly all: string;
  readonly none: string;
  readonly hashtags: string;
  readonly mentions: string;
  readonly minWords: string;
  readonly checked: string[];
}

/** Rules without a number or words, behind "A comment counts if it". */
export const CHECKS = {
  notOnlyEmoji: 'says more than emoji',
  topLevelOnly: 'is not a reply',
  notByOwner: 'is not by an account that published the post',
  since: 'was written after the campaign began',
  ownText: 'does not repeat what somebody else wrote before',
} as const;
export const CHECK_NAMES = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

/** What is wrong with a comment, or with its account. */
const UNMET: Readonly<Record<UnmetRule, string>> = {
  words: 'Lacks words',
  'excluded-words': 'Has excluded words',
  hashtags: 'Lacks a hashtag',
  mentions: 'Mentions too few people',
  'min-words': 'Has too few words',
  'only-emoji': 'Says only emoji',
  reply: 'Is a reply',
  'by-owner': 'By an account that published the post',
  'too-early': 'Written too early',
  'same-text': 'Repeats another comment',
  followers: 'Too few followers',
  posts: 'Too few posts',
  'account-age': 'The account is too new',
  private: 'The account is private',
  'not-proven': 'The account is not proven',
};

export const unmetText = (rule: UnmetRule): string => UNMET[rule];

// Punctuation within a phrase means nothing.
const listed = (phrases: readonly string[] = []) => phrases.map((phrase) => phrase.replaceAll(',', ' ')).join(', ');

export function fieldsOf(rules: CommentRules | null | undefined): RuleFields {
  const { words, hashtags, mentions = '', minWords = '', ...checks } = rules ?? {};
  return {
    any: listed(words?.any),
    all: listed(words?.all),
    none: listed(words?.none),
    hashtags: listed(hashtags),
    mentions: String(mentions),
    minWords: String(minWords),
    checked: CHECK_NAMES.filter((name) => checks[name]),
  };
}

/** Null if nothing is asked for. */
export function rulesOf({ checked, ...fields }: RuleFields): CommentRules | null {
  const listOf = (text: string, between = /[,，、،]/) =>
    text
      .split(between)
      .map((phrase) => phrase.trim())
      .filter(Boolean);
  const words = given({ any: listOf(fields.any), all: listOf(fields.all), none: listOf(fields.none) });
  const rules = given<CommentRules>({
    ...(words === null ? {} : { words }),
    hashtags: listOf(fields.hashtags, /[,，、،\s]+/),
    ...(fields.mentions === '' ? {} : { mentions: Number(fields.mentions) }),
    ...(fields.minWords === '' ? {} : { minWords: Number(fields.minWords) }),
  });
  const has = (name: keyof typeof CHECKS) => checked.includes(name);
  const flags = CHECK_NAMES.filter(has).map((name) => [name, name === 'since' ? 'campaign-start' : true]);
  return given<CommentRules>({ ...rules, ...Object.fromEntries(flags) });
}

/** Without empty lists; null if nothing is left. */
function given<Fields extends object>(fields: Fields): Partial<Fields> | null {
  const left = Object.entries(fields).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return left.length === 0 ? null : (Object.fromEntries(left) as Partial<Fields>);
}
