/** Rules for comments, between the API, a form, and a sentence. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, rulesOf, sentenceOf } from '../../../plugins/console/app/parts/comment-rules.ts';
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
    expect(fieldsOf({ words: { all: ['good, morning'] }, notOnlyEmoji: false })).toMatchObject({
      all: 'good  morning',
      checked: [],
    });
  });
});

it('rules are a sentence', () => {
  expect(sentenceOf({ mentions: 1 })).toBe('mentions 1 person or more.');
  expect(
    sentenceOf({
      words: { any: ['red', 'blue'], none: ['spam'] },
      ...{ hashtags: ['#a', 'b'], mentions: 2, ownText: true, topLevelOnly: false },
    }),
  ).toBe(
    'has “red” or “blue”, has no “spam”, has #a and #b, mentions 2 people or more, and does not repeat what somebody else wrote before.',
  );
});
