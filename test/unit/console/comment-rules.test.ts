/** Rules for comments, between the API, a form, and a sentence. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  limitsText,
  payingText,
  requirementsText,
  rulesText,
} from '../../../plugins/console/app/parts/campaign-words.ts';
import { fieldsOf, rulesOf } from '../../../plugins/console/app/parts/comment-rules.ts';
import { runs } from '../../support/property-runs.ts';

const EMPTY = fieldsOf(null);

describe('the fields of rules', () => {
  it('hold every rule', () => {
    const phrases = fc.array(fc.stringMatching(/^[a-zé0-9]{1,5}( [a-z]{1,5})?$/), { minLength: 1, maxLength: 3 });
    const yes = fc.constant(true);
    const words = fc
      .record({ any: phrases, all: phrases, none: phrases }, { requiredKeys: [] })
      .filter((given) => Object.keys(given).length > 0);
    const rules = fc.record(
      {
        words,
        hashtags: fc.array(fc.stringMatching(/^#?[a-z]{1,5}$/), { minLength: 1, maxLength: 3 }),
        ...{ mentions: fc.integer({ min: 1, max: 20 }), minWords: fc.integer({ min: 1, max: 200 }) },
        ...{ notOnlyEmoji: yes, topLevelOnly: yes, notByOwner: yes, ownText: yes },
        since: fc.constant('campaign-start' as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rules, (given) => {
        expect(rulesOf(fieldsOf(given))).toEqual(Object.keys(given).length === 0 ? null : given);
      }),
      runs(300),
    );
  });

  it('take lists as people type them', () => {
    expect(rulesOf({ ...EMPTY, any: ' red ,, deep blue、春 ', hashtags: '#a b,#c' })).toEqual({
      words: { any: ['red', 'deep blue', '春'] },
      hashtags: ['#a', 'b', '#c'],
    });
    expect(rulesOf({ ...EMPTY, none: ' , ' })).toBeNull();
    const fields = { all: 'good  morning', checked: [] };
    expect(fieldsOf({ words: { all: ['good, morning'] }, notOnlyEmoji: false })).toMatchObject(fields);
  });
});

it.each([
  [rulesText(null), 'Any comment counts.'],
  [
    rulesText({ mentions: 1 }, true),
    'A comment counts if it mentions 1 person or more. Those that the brand hides count as well.',
  ],
  [
    rulesText({ words: { any: ['red', 'blue'], none: ['spam'] }, hashtags: ['#a', 'b'], ownText: true }),
    'A comment counts if it has “red” or “blue”, has no “spam”, has #a and #b, and does not repeat what somebody else wrote before.',
  ],
  [
    requirementsText({ oneRewardPerAccount: true, unknown: 'fail' }),
    'Any account counts, and each is rewarded once only.',
  ],
  [
    requirementsText({ minFollowers: 1_200, public: true, unknown: 'pass' }),
    'An account counts if it has 1,200 followers or more and is public. What the platform does not tell counts as met.',
  ],
  [payingText(undefined), 'Paid at once.'],
  [
    payingText({ draw: { beacon: 'x' }, holdDays: 1, recheckDays: 30, reverseOnRemoval: true, review: 'all' }),
    'Paid after the draw, your approval, and 1 day, if the comment or like is still there. It is looked for again 30 days after that. If it is gone then, the points are taken back.',
  ],
  [limitsText(null), 'No limit.'],
  [
    limitsText({ maxRewards: 100, pointsPerCreatorAndDay: 50 }, { rewards: 1, points: 5 }),
    'At most 100 rewards (1 paid) and 50 points for a creator in a day.',
  ],
])('%s', (told, expected) => expect(told).toBe(expected));
