/** Which rules of a challenge a comment does not meet. Pure: the comment and what is known of its post decide. */

import { normaliseHandle } from '../../platforms/handle.ts';
import type { Campaign, Challenge, Publisher } from '../campaigns/campaign.ts';
import type { CommentRules } from '../campaigns/terms.ts';
import type { StoredComment } from '../challenge-data/comment.ts';
import { containsPhrase, hashtagsOf, hasLetters, hasWords, mentionsOf, toHashtag, wordsOf } from './comment-text.ts';

/** What is wrong with a comment, for the creator, behind "A comment was found, but". */
const WORDS = {
  words: 'it lacks words that are asked for',
  'excluded-words': 'it has words that are excluded',
  hashtags: 'it lacks a hashtag',
  mentions: 'it mentions too few people',
  'min-words': 'it has too few words',
  'only-emoji': 'it says nothing but emoji',
  reply: 'it is a reply to another comment',
  'by-owner': 'its author published the post',
  'too-early': 'it was written before the campaign began',
  'same-text': 'somebody else wrote the same before',
} as const;

/** What is wrong with the account of a match, behind "the account". True as well of what the platform does not tell. */
const WORDS_OF_ACCOUNT = {
  followers: 'shows too few followers',
  posts: 'shows too few posts',
  'account-age': 'does not show that it is old enough',
  private: 'is not shown as public',
  'not-proven': 'is not proven to be the creator’s',
} as const;

/** What a challenge requires of an account (`AccountRequirements`). */
export type Requirement = keyof typeof WORDS_OF_ACCOUNT;
export const REQUIREMENT_NAMES = Object.keys(WORDS_OF_ACCOUNT) as readonly Requirement[];

/** A rule that a comment does not meet, or a requirement that its account does not meet. */
export type UnmetRule = keyof typeof WORDS | Requirement;
const ALL_WORDS: Readonly<Record<UnmetRule, string>> = { ...WORDS, ...WORDS_OF_ACCOUNT };
export const UNMET_RULES = Object.keys(ALL_WORDS) as readonly UnmetRule[];

const isOfAccount = (unmet: readonly UnmetRule[]) => unmet.some((rule) => rule in WORDS_OF_ACCOUNT);

/** What a creator who is told of a near miss does next; empty if it is not a comment that misses. A stored comment keeps its words. */
export const adviceOn = (unmet: readonly UnmetRule[]) =>
  isOfAccount(unmet) ? '' : ' An edit is not seen: write a new comment.';

/** In words, for the creator and the history. */
export function nearMiss(unmet: readonly UnmetRule[]): string {
  const [first = '', ...others] = unmet.map((rule) => ALL_WORDS[rule]);
  const last = others.pop();
  const what = `${[first, ...others].join(', ')}${last === undefined ? '' : ` and ${last}`}`;
  return `${isOfAccount(unmet) ? 'the account' : 'a comment was found, but'} ${what}`;
}

/** What rules look at. */
export type JudgedComment = Pick<StoredComment, 'commentText' | 'commentedAt' | 'username' | 'authorId' | 'isReply'>;

/** What is unmet, in the order of the rules; empty if the comment counts. */
export type Judge = (comment: JudgedComment) => readonly UnmetRule[];

/** What is asked, and since when. */
export interface Asked {
  readonly challenge: Challenge;
  readonly campaign: Pick<Campaign, 'startsAt' | 'createdAt'>;
}

/** Whether it must be known who published the post. */
export function needsPublishers({ rules }: Pick<Challenge, 'rules'>): boolean {
  return rules?.notByOwner === true || rules?.mentions !== undefined;
}

/**
 * A judge for many comments, of all rules but `ownText`. What is not known of a comment counts as unmet: the next reading of the post
 * tells it.
 */
export function createJudge({ campaign, challenge }: Asked): Judge {
  const { rules } = challenge;
  if (!rules) return () => [];
  const checks = [...checksOfText(rules, challenge), ...checksOfComment(rules, challenge, campaign)];
  return (comment) => checks.flatMap(({ rule, isMet }) => (isMet(comment) ? [] : [rule]));
}

interface Check {
  readonly rule: UnmetRule;
  readonly isMet: (comment: JudgedComment) => boolean;
}

function checksOfText({ words = {}, minWords, notOnlyEmoji, ...rules }: CommentRules, challenge: Challenge): Check[] {
  const toWords = (phrases: readonly string[] = []) => phrases.map(wordsOf);
  const [any, all, none] = [toWords(words.any), toWords(words.all), toWords(words.none)];
  const hashtags = (rules.hashtags ?? []).map(toHashtag);
  const fewest = rules.mentions ?? 0;
  const has = ({ commentText }: JudgedComment) => {
    let said: string | undefined;
    return (phrase: string) => {
      said ??= wordsOf(commentText);
      return containsPhrase(said, phrase);
    };
  };
  const checks: (Check | false)[] = [
    (any.length > 0 || all.length > 0) && {
      rule: 'words',
      isMet: (comment) => (any.length === 0 || any.some(has(comment))) && all.every(has(comment)),
    },
    none.length > 0 && { rule: 'excluded-words', isMet: (comment) => !none.some(has(comment)) },
    hashtags.length > 0 && {
      rule: 'hashtags',
      isMet({ commentText }) {
        const tags = hashtagsOf(commentText);
        return hashtags.every((tag) => tag === null || tags.has(tag));
      },
    },
    fewest > 0 && { rule: 'mentions', isMet: (comment) => countMentions(comment, challenge) >= fewest },
    minWords !== undefined && { rule: 'min-words', isMet: ({ commentText }) => hasWords(commentText, minWords) },
    notOnlyEmoji === true && { rule: 'only-emoji', isMet: ({ commentText }) => hasLetters(commentText) },
  ];
  return checks.filter((check) => check !== false);
}

function checksOfComment(
  { topLevelOnly, notByOwner, since }: CommentRules,
  { publishedBy }: Challenge,
  { startsAt, createdAt }: Pick<Campaign, 'startsAt' | 'createdAt'>,
): Check[] {
  // Platforms tell the time of a comment in seconds.
  const start = Math.floor((startsAt ?? createdAt).getTime() / 1_000) * 1_000;
  const isByOwner = (comment: JudgedComment) => publishedBy?.some((owner) => isBy(comment, owner)) ?? true;
  const checks: (Check | false)[] = [
    topLevelOnly === true && { rule: 'reply', isMet: ({ isReply }) => isReply === false },
    notByOwner === true && { rule: 'by-owner', isMet: (comment) => !isByOwner(comment) },
    since === 'campaign-start' && { rule: 'too-early', isMet: ({ commentedAt }) => commentedAt.getTime() >= start },
  ];
  return checks.filter((check) => check !== false);
}

/** The different people that a comment mentions, besides its author and those who published the post. None while these are unknown. */
function countMentions({ commentText, username }: JudgedComment, { publishedBy }: Challenge): number {
  if (!publishedBy) return 0;
  const left = new Set([normaliseHandle(username), ...publishedBy.map(({ handle }) => handle)]);
  return [...mentionsOf(commentText)].filter((handle) => !left.has(handle)).length;
}

/** Either is enough: an official API tells no numbers. */
function isBy({ username, authorId }: JudgedComment, owner: Publisher): boolean {
  return normaliseHandle(username) === owner.handle || authorId === owner.accountId;
}
