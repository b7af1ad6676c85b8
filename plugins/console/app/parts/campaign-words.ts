/** What a campaign asks for and pays, in plain sentences: beside the fields of its form, and on its page. */
import type { Campaign, CampaignDetail } from '@credence/client';
import { CHECK_NAMES, CHECKS, type CommentRules } from './comment-rules.ts';

type Terms = Omit<NonNullable<CampaignDetail['terms']>, 'draw'> & { readonly draw?: { readonly beacon: string } };

const AND = new Intl.ListFormat('en');
/** “1 word”, “2 words”. */
export const counted = (count: number, one: string, more = `${one}s`) =>
  `${count.toLocaleString()} ${count === 1 ? one : more}`;
const atLeast = (count: number | undefined, one: string, more?: string) =>
  count !== undefined && `${counted(count, one, more)} or more`;
/** An empty text if there are no parts. */
const listed = (parts: readonly (string | false | undefined)[], before = '') => {
  const said = parts.filter((part) => typeof part === 'string');
  return said.length === 0 ? '' : before + AND.format(said);
};
const has = (what: string | false) => what && `has ${what}`;

export function rulesText(rules: CommentRules | null | undefined, countHidden = false): string {
  const { words = {}, hashtags = [], mentions, minWords } = rules ?? {};
  const quoted = (phrases: readonly string[], join: string) => phrases.map((phrase) => `“${phrase}”`).join(` ${join} `);
  const asked = [
    words.any && `has ${quoted(words.any, 'or')}`,
    words.all && `has ${quoted(words.all, 'and')}`,
    words.none && `has no ${quoted(words.none, 'and no')}`,
    hashtags.length > 0 && `has ${hashtags.map((tag) => `#${tag.replace(/^#/, '')}`).join(' and ')}`,
    mentions !== undefined && `mentions ${atLeast(mentions, 'person', 'people')}`,
    has(atLeast(minWords, 'word')),
    ...CHECK_NAMES.map((name) => rules?.[name] !== undefined && rules[name] !== false && CHECKS[name]),
  ];
  const hidden = countHidden ? ' Those that the brand hides count as well.' : '';
  return `${listed(asked, 'A comment counts if it ') || 'Any comment counts'}.${hidden}`;
}

export function requirementsText(requires: CampaignDetail['challenge']['requires']): string {
  const { minFollowers, minPosts, minAccountAgeDays, oneRewardPerAccount, unknown, ...flags } = requires ?? {};
  const known = [
    has(atLeast(minFollowers, 'follower')),
    has(atLeast(minPosts, 'post')),
    minAccountAgeDays !== undefined && `is ${counted(minAccountAgeDays, 'day')} old or older`,
    flags.public && 'is public',
  ];
  const asked = listed([...known, flags.provenOnly && 'is proven to be theirs'], 'An account counts if it ');
  const once = oneRewardPerAccount ? ', and each is rewarded once only' : '';
  const untold = unknown === 'pass' ? ' What the platform does not tell counts as met.' : '';
  const refused = unknown === 'fail' ? ' What the platform does not tell counts as not met.' : '';
  return `${asked || 'Any account counts'}${once}.${listed(known) && (untold || refused)}`;
}

export function payingText(terms: Terms | null | undefined): string {
  const { draw, holdDays, recheckDays, reverseOnRemoval, review } = terms ?? {};
  const waits = [
    draw && 'the draw',
    review === 'all' && 'your approval',
    holdDays !== undefined && counted(holdDays, 'day'),
  ];
  const still = holdDays === undefined ? '' : ', if the comment or like is still there';
  const later = recheckDays === undefined ? '' : ` It is looked for again ${counted(recheckDays, 'day')} after that.`;
  return [
    `${listed(waits, 'Paid after ') || 'Paid at once'}${still}.`,
    review === 'signals' && ' Those with something to look at wait for your approval.',
    later,
    reverseOnRemoval && ' If it is gone then, the points are taken back.',
  ]
    .filter(Boolean)
    .join('');
}

/** With what of it is paid already. */
export function limitsText(limits: CampaignDetail['limits'], used?: CampaignDetail['limitsUsed']): string {
  const { maxRewards, pointsBudget, pointsPerCreatorAndDay: daily } = limits ?? {};
  const paid = (count: number | undefined) => (count === undefined ? '' : ` (${count.toLocaleString()} paid)`);
  const most = [
    maxRewards !== undefined && counted(maxRewards, 'reward') + paid(used?.rewards),
    pointsBudget !== undefined && counted(pointsBudget, 'point') + paid(used?.points),
    daily !== undefined && `${counted(daily, 'point')} for a creator in a day`,
  ];
  return `${listed(most, 'At most ') || 'No limit'}.`;
}

export const drawText = (beacon: string): string =>
  beacon === '' ? 'No draw.' : `Winners are drawn with “${beacon}”.`;

/** As the filter `state` of the list means it. */
export function campaignState({ isActive, startsAt, endsAt }: Campaign, now = Date.now()): string {
  if (!isActive || (endsAt !== null && Date.parse(endsAt) <= now)) return 'ended';
  return startsAt !== null && Date.parse(startsAt) > now ? 'upcoming' : 'running';
}
