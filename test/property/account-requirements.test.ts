/** Requirements of accounts: no account passes that lacks something, and knowing more never contradicts a decision. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AccountFacts, judgeAccount, needsProfile } from '../../core/engagement/attempts/requirements.ts';
import { runs } from '../support/property-runs.ts';

const NOW = new Date('2026-11-29T00:00:00.000Z');
const DAY_MS = 86_400_000;
const number = fc.integer({ min: 0, max: 4 });

const requirements = fc.record(
  {
    minFollowers: number,
    minPosts: number,
    minAccountAgeDays: number,
    public: fc.constant(true as const),
    provenOnly: fc.constant(true as const),
    unknown: fc.constantFrom('wait' as const, 'pass' as const, 'fail' as const),
  },
  { requiredKeys: [] },
);
const whole = fc.record({
  followers: number,
  posts: number,
  is_private: fc.boolean(),
  created_at: number.map((days) => new Date(NOW.getTime() - days * DAY_MS).toISOString()),
});
const hidden = fc.subarray(['followers', 'posts', 'is_private', 'created_at'] as const);

it('an account is judged by what is known, and by what the campaign says of the rest', () => {
  fc.assert(
    fc.property(requirements, whole, hidden, fc.boolean(), (requires, profile, left, ownershipProven) => {
      const shown: AccountFacts['profileData'] = Object.fromEntries(
        Object.entries(profile).filter(([name]) => !left.some((one) => one === name)),
      );
      const truth = judgeAccount(requires, { profileData: profile, ownershipProven }, NOW);
      const judged = judgeAccount(requires, { profileData: shown, ownershipProven }, NOW);
      const { minFollowers = 0, minPosts = 0, minAccountAgeDays = 0 } = requires;
      const isMet =
        profile.followers >= minFollowers &&
        profile.posts >= minPosts &&
        Date.parse(profile.created_at) <= NOW.getTime() - minAccountAgeDays * DAY_MS &&
        !(requires.public && profile.is_private) &&
        !(requires.provenOnly && !ownershipProven);
      expect(truth.kind).toBe(isMet ? 'met' : 'unmet');
      expect(judged.kind === 'met').toBe(judged.names.length === 0);
      if (requires.unknown === 'pass') {
        expect(judged.kind).not.toBe('unknown');
        if (isMet) expect(judged.kind).toBe('met');
      } else if (judged.kind === 'met') {
        expect(isMet).toBe(true);
      }
      if (requires.unknown === 'fail') expect(judged.kind).not.toBe('unknown');
      // What waits for knowledge has nothing against it so far.
      if (judged.kind === 'unknown') expect(truth.names.every((name) => judged.names.includes(name))).toBe(true);
      // What needs no profile is the same without one.
      if (!needsProfile(requires)) expect(judged).toEqual(truth);
    }),
    runs(500),
  );
});

it('a profile whose time cannot be read passes no requirement of age', () => {
  const facts = { profileData: { created_at: 'soon' }, ownershipProven: true };
  expect(judgeAccount({ minAccountAgeDays: 1, unknown: 'pass' }, facts, NOW).kind).toBe('unmet');
});
