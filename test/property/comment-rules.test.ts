/** Rules for comments: examples in many scripts, and what holds for every text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Challenge } from '../../core/engagement/campaigns/campaign.ts';
import type { CommentRules } from '../../core/engagement/campaigns/terms.ts';
import { textKeyOf, toHashtag } from '../../core/engagement/rules/comment-text.ts';
import { createJudge, type JudgedComment, nearMiss, UNMET_RULES } from '../../core/engagement/rules/unmet-rules.ts';
import { later, newChallenge, T0 } from '../contract/storage/samples.ts';
import { anyCharacter } from '../support/any-character.ts';
import { runs } from '../support/property-runs.ts';

const publishedBy = [
  { handle: 'acme', accountId: '1' },
  { handle: 'partner', accountId: '2' },
];

function judge(rules: CommentRules, comment: Partial<JudgedComment> | string, about: Partial<Challenge> = {}) {
  const given = typeof comment === 'string' ? { commentText: comment } : comment;
  const challenge = { ...newChallenge(), id: 1, campaignId: 1, publishedBy, rules, ...about };
  const judged = { commentText: 'hello', commentedAt: T0, username: 'Ann', authorId: null, isReply: false, ...given };
  return createJudge({ challenge, campaign: { startsAt: null, createdAt: T0 } })(judged);
}

const ruled = (
  ...given: readonly [rule: string, rules: CommentRules, met: readonly string[], unmet: readonly string[]][]
) =>
  given.flatMap(([rule, rules, met, unmet]) => [
    ...met.map((text) => ({ rule, rules, text, expected: [] as string[] })),
    ...unmet.map((text) => ({ rule, rules, text, expected: [rule] })),
  ]);

const all = (...words: string[]): CommentRules => ({ words: { all: words } });

it.each(
  ruled(
    [
      'words',
      all('spring'),
      ['Spring!', 'the SPRING', '#spring', 'spr\u00ADing', '“spring”'],
      ['springs', 'offspring', ''],
    ],
    ['words', all('good morning'), ['Good, morning', 'a good\n morning'], ['good old morning', 'goodmorning']],
    ['words', all('café'), ['CAFE', 'cafe\u0301'], ['cafés']],
    ['words', all('straße'), ['STRASSE', 'Straße'], ['strass']],
    ['words', all('ΟΔΟΣ'), ['οδός', 'οδοσ'], ['οδο']],
    ['words', all('İstanbul'), ['istanbul', 'ISTANBUL'], ['istanbullu']],
    ['words', all('йога'), ['ЙОГА', 'иога'], ['йогам']],
    ['words', all('春天'), ['我爱春天', '春天!'], ['春 天', '春']],
    ['words', all('कमल'), ['कमल है'], ['कमला']],
    ['words', all('سلام'), ['سَلَام', 'سلام!'], ['السلام']],
    ['words', all('🔥'), ['wow🔥', '🔥🔥', '🔥\uFE0F'], ['wow']],
    ['words', { words: { any: ['red', 'blue'] } }, ['Blue please', 'red or blue'], ['green']],
    ['words', { words: { any: ['red', 'blue'], all: ['please'] } }, ['blue please'], ['blue', 'please']],
    ['excluded-words', { words: { none: ['spam', 'buy now'] } }, ['spammer', 'buy it now'], ['SPAM', 'buy now!']],
    [
      'hashtags',
      { hashtags: ['#Spring', 'söle'] },
      ['#spring#SOLE', '＃spring so #söle!'],
      ['#spring', 'spring söle', '#springs #söle'],
    ],
    [
      'mentions',
      { mentions: 2 },
      ['@bob @cat', 'hi @bob, @cat.'],
      ['@bob', '@bob @BOB @bob.', '@bob @acme', '@bob @partner', '@bob @ann', 'me@bob.com @cat'],
    ],
    [
      'min-words',
      { minWords: 3 },
      ['one two three', '@bob one two three', '我爱春天'],
      ['one two', '@bob @cat @dan', '#a #b #c', '🔥 🔥 🔥', ''],
    ],
    ['only-emoji', { notOnlyEmoji: true }, ['🔥 ok', '7'], ['🔥🔥', '1️⃣', '@bob 🔥', '👩‍🚀', '!!!', '']],
  ),
)('$rule of $rules: $text', ({ rules, text, expected }) => {
  expect(judge(rules, text)).toEqual(expected);
});

describe('what a text does not tell', () => {
  it.each<[string, CommentRules, Partial<JudgedComment>, readonly string[], Partial<Challenge>?]>([
    ['a reply', { topLevelOnly: true }, { isReply: true }, ['reply']],
    ['a comment of which nobody knows whether it is one', { topLevelOnly: true }, { isReply: undefined }, ['reply']],
    ['one at the top', { topLevelOnly: true }, {}, []],
    ['the owner, by handle', { notByOwner: true }, { username: '@Acme' }, ['by-owner']],
    ['a coauthor, renamed', { notByOwner: true }, { username: 'new', authorId: '2' }, ['by-owner']],
    ['anybody else', { notByOwner: true }, { authorId: '3' }, []],
    ['an unknown owner', { notByOwner: true }, {}, ['by-owner'], { publishedBy: undefined }],
    ['mentions, owner unknown', { mentions: 1 }, { commentText: '@bob' }, ['mentions'], { publishedBy: undefined }],
    ['a comment of before', { since: 'campaign-start' }, { commentedAt: later(-1) }, ['too-early']],
    ['one of the same second', { since: 'campaign-start' }, { commentedAt: T0 }, []],
  ])('%s', (_name, rules, comment, expected, about = {}) => {
    expect(judge(rules, comment, about)).toEqual(expected);
  });

  it('compares the second in which the campaign was created, not the millisecond', () => {
    const challenge = { ...newChallenge(), id: 1, campaignId: 1, rules: { since: 'campaign-start' } as const };
    const started = { startsAt: null, createdAt: new Date(T0.getTime() + 900) };
    const comment = { commentText: '', commentedAt: T0, username: 'ann' };
    expect(createJudge({ challenge, campaign: started })(comment)).toEqual([]);
  });
});

const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });
const word = fc.stringMatching(/^[a-zäöüß]{1,8}$/);

describe('every text', () => {
  it('is judged alike in capitals, decomposed, and with what nobody sees', () => {
    const words = { all: ['spring'], none: ['no'] };
    const rules: CommentRules = { words, hashtags: ['a'], minWords: 2, notOnlyEmoji: true };
    fc.assert(
      fc.property(anyText, fc.constantFrom('spring #a ', 'no ', '#a x ', ''), (text, begin) => {
        const given = `${begin}${text}`;
        const expected = judge(rules, given);
        expect(judge(rules, given.normalize('NFD'))).toEqual(expected);
        expect(judge(rules, `\u200B${given}\u2060`)).toEqual(expected);
        expect(judge(rules, `  ${given}\n`)).toEqual(expected);
      }),
      runs(500),
    );
  });

  it('has the words that it was made of, and no others', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(5), word, (words, at, other) => {
        const [text, sought] = [words.join(', ').toUpperCase(), words[at % words.length] ?? ''];
        expect(judge(all(sought), text)).toEqual([]);
        expect(judge({ words: { none: [sought] } }, text)).toEqual(['excluded-words']);
        const folded = (one: string) =>
          one
            .replaceAll('ß', 'ss')
            .normalize('NFD')
            .replace(/[\u0300-\u036f]/g, '');
        const has = words.map(folded).includes(folded(other));
        expect(judge(all(other), text)).toEqual(has ? [] : ['words']);
      }),
      runs(500),
    );
  });

  it('meets fewer rules together than alone, and any order of them gives the same', () => {
    const rules = fc.record<CommentRules>(
      {
        mentions: fc.integer({ min: 1, max: 3 }),
        minWords: fc.integer({ min: 1, max: 4 }),
        notOnlyEmoji: fc.constant(true),
        hashtags: fc.constant(['a']),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rules, anyText, (given, text) => {
        const alone = Object.entries(given).flatMap(([name, rule]) => judge({ [name]: rule }, text));
        expect(judge(given, text).toSorted()).toEqual(alone.toSorted());
        expect(judge({}, text)).toEqual([]);
      }),
      runs(300),
    );
  });

  it('has one key, however it is spelt; other words have another', () => {
    fc.assert(
      fc.property(anyText, word, (text, more) => {
        const key = textKeyOf(text);
        expect(textKeyOf(`  ${text.normalize('NFD')}\u200B `)).toBe(key);
        expect(textKeyOf(`${text} ${more}`)).not.toBe(key);
      }),
      runs(500),
    );
    expect(textKeyOf('Love it!!')).toBe(textKeyOf('love IT'));
    expect(textKeyOf('🔥🔥')).not.toBe(textKeyOf('🔥'));
    expect([' ', '\u200B', ''].map(textKeyOf)).toEqual([null, null, null]);
  });

  it('is a hashtag of a rule whole, or not at all', () => {
    expect(['#Spring', 'spring', '＃spring', ' #ſpring '].map(toHashtag)).toEqual(Array(4).fill('spring'));
    expect(['#', '', '#a b', '#a#b', '🔥', 'a-b'].map(toHashtag)).toEqual(Array(6).fill(null));
  });

  it('is judged in a moment, also if somebody made it to be slow', () => {
    const words = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'a'.repeat(100) : 'aab'));
    const rules: CommentRules = {
      words: { any: words, all: words, none: words },
      hashtags: ['a'],
      mentions: 20,
      minWords: 200,
      notOnlyEmoji: true,
    };
    const evil = ['a', 'aab', '@a', '#', '@', 'ﷺ', '\u0301', '🔥', '@a.', '. ', '字', '\u200B@'].map((part) =>
      part.repeat(10_000).slice(0, 10_000),
    );
    const begin = performance.now();
    for (const text of evil) {
      judge(rules, text);
      textKeyOf(text);
    }
    expect(performance.now() - begin).toBeLessThan(3_000);
  });
});

it('tells a near miss in a sentence', () => {
  expect(nearMiss(['hashtags'])).toBe('a comment was found, but it lacks a hashtag');
  expect(nearMiss(UNMET_RULES.slice(2, 5))).toBe(
    'a comment was found, but it lacks a hashtag, it mentions too few people and it has too few words',
  );
});
