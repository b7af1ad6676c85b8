import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectsAlong } from '../../../core/engagement/connections/objects-along.ts';
import { shownProfile } from '../../../core/engagement/connections/shown-profile.ts';
import { EACH, type JsonStep, type ProfileEndpoint } from '../../../core/platforms/ownership-rules.ts';
import { atOnce } from '../../../core/web-proof/attested-values/steps.ts';
import { elementPath, memberPath, ROOT_PATH } from '../../../core/web-proof/extraction/canonical-path.ts';
import { verifiedProof } from '../../support/verified-proof.ts';

const names = { handle: 'username', accountId: ['pk'], bio: 'biography' };
const api: ProfileEndpoint = {
  hosts: ['www.instagram.com'],
  path: '/',
  query: {},
  profile: { at: ['user'], ...names },
};
const page: ProfileEndpoint = {
  ...api,
  script: { type: 'application/json' },
  profile: { at: ['a', EACH, 'user'], ...names },
};
const ADA = '{"username":"ada","pk":"1","biography":"b"}';
const script = (json: string) => `<script type="application/json">${json}</script>`;
const apiBody = (more: string) => `{"user":${ADA},"x":[${more}1]}`;
const pageBody = (html: string, more = '') => `${html}${script(`{"a":[${more}{"user":${ADA}}]}`)}`;

describe('a large answer about a profile is read in many steps', () => {
  it.each<[string, ProfileEndpoint, (count: number) => string]>([
    ['numbers', api, (count) => apiBody('1,'.repeat(count))],
    ['objects', api, (count) => apiBody('{},'.repeat(count))],
    ['tags of a page', page, (count) => pageBody('<b>'.repeat(count))],
    ['signs that begin no tag', page, (count) => pageBody('< '.repeat(count))],
    ['attributes of one tag', page, (count) => pageBody(`<a ${'b '.repeat(count)}>`)],
    ['scripts', page, (count) => pageBody('').repeat(count / 32)],
    ['objects in a script', page, (count) => pageBody('', '{},'.repeat(count))],
    ['profiles in a script', page, (count) => pageBody('', `{"user":${ADA}},`.repeat(count / 16))],
  ])('%s', async (_what, endpoint, body) => {
    const stepsFor = async (count: number) => {
      const steps = shownProfile(await verifiedProof({ body: body(count) }), endpoint);
      let read = 1;
      for (let next = steps.next(); ; next = steps.next()) {
        if (next.done === true) {
          expect(next.value).toEqual({ handle: 'ada', accountId: '1', bio: 'b' });
          return read;
        }
        read += 1;
      }
    };
    const [short, long] = [await stepsFor(2_048), await stepsFor(16_384)];
    expect(long).toBeGreaterThanOrEqual(16_384 / 256);
    expect(long).toBeGreaterThanOrEqual(6 * short - 50);
  });
});

/** What the parser of the platform has at the end of a way. */
function objectsIn(root: unknown, way: readonly JsonStep[], member: string | null): string[] {
  let values: [path: string, value: unknown][] = [[ROOT_PATH, root]];
  for (const step of way) {
    values = values.flatMap(([path, value]) =>
      Object.entries(Object(value) as object).flatMap(([name, below]): [string, unknown][] => {
        if (typeof value !== 'object' || value === null) return [];
        const at = Array.isArray(value) ? Number(name) : name;
        if (at !== step && !(step === EACH && typeof at === 'number')) return [];
        return [[typeof at === 'number' ? elementPath(path, at) : memberPath(path, at), below]];
      }),
    );
  }
  return values.flatMap(([path, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && (member === null || Object.hasOwn(value, member)) ? [path] : [];
  });
}

it('finds the objects along a way that a parser finds', () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom('{"a":1}', 'a', 0, null, '\\"', '{'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c d', '0', '__proto__', '"'), tie('json'), { maxKeys: 4 }),
    ),
  }));
  const step = fc.constantFrom<JsonStep>('a', 'b', 'c d', '0', '__proto__', 0, 1, EACH);
  fc.assert(
    fc.property(
      json,
      fc.array(step, { maxLength: 4 }),
      fc.constantFrom(null, 'a', '__proto__'),
      (value, way, member) => {
        const text = JSON.stringify(value);
        const found = atOnce(objectsAlong(text, way, member)).toSorted();
        expect(found).toEqual(objectsIn(JSON.parse(text), way, member).toSorted());
      },
    ),
    { numRuns: 3_000, seed: 1 },
  );
});
