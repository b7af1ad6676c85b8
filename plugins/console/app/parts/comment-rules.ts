/** Rules for comments as a form holds them. */
import type { CampaignDetail, CredenceClient } from '@credence/client';
import { given } from './given.ts';

export type CommentRules = NonNullable<CampaignDetail['challenge']['rules']>;
export type RulesPreview = Awaited<ReturnType<CredenceClient['campaigns']['previewRules']>>;
export type UnmetRule = RulesPreview['examples'][number]['unmetRules'][number];

/** Lists have commas between. */
export interface RuleFields {
  readonly any: string;
  readonly all: string;
  readonly none: string;
  readonly hashtags: string;
  readonly mentions?: number | undefined;
  readonly minWords?: number | undefined;
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
  const { words, hashtags, mentions, minWords, ...checks } = rules ?? {};
  return {
    any: listed(words?.any),
    all: listed(words?.all),
    none: listed(words?.none),
    hashtags: listed(hashtags),
    mentions,
    minWords,
    checked: CHECK_NAMES.filter((name) => checks[name]),
  };
}

/** Null if nothing is asked for. */
export function rulesOf({ any, all, none, hashtags, checked, ...numbers }: RuleFields): CommentRules | null {
  const listOf = (text: string, between = /[,，、،]/) =>
    text
      .split(between)
      .map((phrase) => phrase.trim())
      .filter(Boolean);
  const flags = CHECK_NAMES.filter((name) => checked.includes(name));
  return given<CommentRules>({
    words: given({ any: listOf(any), all: listOf(all), none: listOf(none) }) ?? undefined,
    hashtags: listOf(hashtags, /[,，、،\s]+/),
    ...numbers,
    ...Object.fromEntries(flags.map((name) => [name, name === 'since' ? 'campaign-start' : true])),
  });
}
