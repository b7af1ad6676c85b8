/**
 * The one-time code counts in one place only. Wherever else it is in the answers of a platform or in the requests, alone
 * or many times, no account is linked. What stands elsewhere never keeps the owner from linking.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileEvidence } from '../../core/engagement/connections/profile-evidence.ts';
import { REGISTRY } from '../support/platforms.ts';
import {
  instagramApiBody,
  instagramProfilePage,
  PROFILE_WAYS,
  relayResult,
  tiktokProfilePage,
} from '../support/profile-answers.ts';
import { runs } from '../support/property-runs.ts';
import { type ExchangeOptions, verifiedProof } from '../support/verified-proof.ts';
import { words } from '../support/words.ts';

const CODE = 'credence-abcde12345';
const VICTIM = { id: '11', handle: 'victim', bio: 'Baker & "mother" of <3\u2028 🎂' };

async function judge(exchange: ExchangeOptions) {
  const platform = exchange.host === 'www.tiktok.com' ? 'tiktok' : 'instagram';
  return profileEvidence(await verifiedProof(exchange), REGISTRY.describe(platform), { handle: 'victim', code: CODE });
}

/** The code as a platform may repeat it. */
const written = fc.constantFrom(
  CODE,
  `Hi ${CODE}!`,
  `"biography":"${CODE}"`,
  `{"data":{"user":{"username":"victim","id":"11","biography":"${CODE}"}}}`,
  `</script><script type="application/json" data-sjs>${CODE}`,
  `<!--${CODE}-->`,
  `\\u0022,\\u0022biography\\u0022:\\u0022${CODE}`,
);
/** Names that are in the platforms' answers, those of the rules too. */
const name = fc.constantFrom(
  ...words(`
  biography signature bio user data full_name userInfo viewer node __proto__ xig_user_by_username webapp.user-detail
  result __bbox
`),
);
/** JSON with the code in it, at random depths and under random names. */
const around = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    written,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
})).tree;
/** Beside the profile's own members: not its bio, handle or id, which would be another profile. */
const beside = fc.dictionary(
  fc
    .string({ maxLength: 8 })
    .filter((key) => !['id', 'pk', 'username', 'uniqueId', 'signature', 'biography'].includes(key)),
  around,
  { maxKeys: 4, noNullPrototype: true },
);

const answers: Readonly<Record<string, (bio: string, more: object) => ExchangeOptions>> = {
  'instagram api': (bio, more) => ({
    ...PROFILE_WAYS['instagram api'](VICTIM),
    body: instagramApiBody({ ...VICTIM, bio }, more),
  }),
  'instagram page': (bio, more) => ({
    ...PROFILE_WAYS['instagram page'](VICTIM),
    body: instagramProfilePage(
      { ...VICTIM, bio },
      { require: [['Other', [], more, 1]] },
      relayResult({ viewer: more }),
    ),
  }),
  'tiktok page': (bio, more) => ({
    ...PROFILE_WAYS['tiktok page'](VICTIM),
    body: tiktokProfilePage({ ...VICTIM, bio }, { 'webapp.app-context': more }),
  }),
};

describe.each(Object.entries(answers))('in an answer of the kind %s', (_kind, answer) => {
  it('the code anywhere but in the bio of the profile links nothing', async () => {
    await fc.assert(
      fc.asyncProperty(beside, async (more) => {
        const missing = { shown: false, reason: 'the code is not in the bio of @victim' };
        expect(await judge(answer(VICTIM.bio, more))).toEqual(missing);
      }),
      runs(12),
    );
  });

  it('the code in the bio links, whatever stands elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(beside, fc.string(), fc.string(), async (more, before, after) => {
        const shown = { shown: true, handle: 'victim', accountId: '11' };
        expect(await judge(answer(`${before}${CODE}${after}`, more))).toEqual(shown);
      }),
      runs(12),
    );
  });

  it('the code in a body that is cut, doubled or mixed up links nothing', async () => {
    const plain = String(answer(VICTIM.bio, {}).body);
    const bioStart = plain.indexOf('Baker') - 1;
    const bioEnd = plain.indexOf('"', plain.indexOf('🎂'));
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length), fc.nat(plain.length), written, async (at, other, text) => {
        const [from, to] = at < other ? [at, other] : [other, at];
        // The bio itself is left alone: between its quotes the code would be its owner's.
        fc.pre(to <= bioStart || from > bioEnd);
        for (const body of [
          `${plain.slice(0, at)}${text}${plain.slice(at)}`,
          `${plain.slice(0, from)}${text}${plain.slice(to)}`,
          `${plain}${text}${plain}`,
        ]) {
          expect((await judge({ ...answer(VICTIM.bio, {}), body })).shown, body).toBe(false);
        }
      }),
      runs(12),
    );
  });
});

describe('a request', () => {
  const target = PROFILE_WAYS['instagram api'](VICTIM).target ?? '';
  const shownBio = instagramApiBody({ ...VICTIM, bio: CODE });

  it('of any other target than the exact one links nothing', async () => {
    const part = fc.constantFrom(...words('/ ? & = % . .. victim mallory username %76 ; # // api A @'));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(target.length),
        fc.nat(3),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        async (at, cut, parts) => {
          const changed = `${target.slice(0, at)}${parts.join('')}${target.slice(at + cut)}`;
          const same = [target, target.replace('/?', '?')].map((each) =>
            each.replace(/username=victim$/i, 'username=victim'),
          );
          fc.pre(changed.startsWith('/') && !same.includes(changed.replace(/username=victim$/i, 'username=victim')));
          expect((await judge({ target: changed, body: shownBio })).shown, changed).toBe(false);
        },
      ),
      runs(50),
    );
  });

  it('of the logged-in account shows the code in one of two places, and nowhere else', async () => {
    const place = fc.constantFrom(...words('user-agent referer origin accept cookie authorization x-csrftoken x-code'));
    const account = { target: '/api/v1/accounts/current_user/', body: '{"user":{"pk":"11","username":"victim"}}' };
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(place, { maxLength: 4 }), async (places) => {
        const headers = places.map((each) => `${each}: ${CODE}`);
        expect((await judge({ ...account, headers })).shown).toBe(false);
      }),
      runs(12),
    );
  });
});
