import { beforeEach, describe, expect, it } from 'vitest';
import { type AcceptWebProofDeps, acceptWebProof } from '../../../core/engagement/connections/accept-web-proof.ts';
import { startConnection } from '../../../core/engagement/connections/start-connection.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformProfile } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { VerifiedWebProof, WebProof } from '../../../core/web-proof/verify.ts';
import { T0 } from '../../support/engagement-samples.ts';
import { platformsOf, REGISTRY } from '../../support/platforms.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';
import { ScriptedPlatform } from '../challenge-data/support.ts';

const LIFETIME_MS = 30 * 60 * 1000;
const TOLERANCE_SECONDS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const USED = 'CONFLICT: This web proof has been used already.';
const FINISHED = 'CONFLICT: The connection request is finished already.';

const storage = storageOfEachTest();
/** What verifying comes to. */
let verify: (webProof: WebProof) => Promise<VerifiedWebProof>;

beforeEach(() => clock.set(T0));

const { connections, creators } = storage;
const clock = createTestClock(T0);
const webProof: WebProof = { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const accept = (requestId: string, data = '00', changes: Partial<AcceptWebProofDeps> = {}) =>
  acceptWebProof({
    storage,
    platforms: platformsOf(),
    verify: (proof) => verify(proof),
    clock,
    relay: { nudge: async () => {} },
    ...changes,
  })({ requestId, webProof: { ...webProof, data } });
/** All requests of these tests have one code, so that one proof fits any of them. */
const CODE = 'credence-aaaaaaaaaa';
const random = { bytes: (length: number) => (length === 10 ? new Uint8Array(10) : systemRandom.bytes(length)) };
const begin = (externalId = 'ext-1', handle: string | null = 'ada') =>
  startConnection({ storage, platforms: REGISTRY, clock, random })({ externalId, platform: 'instagram', handle });
const outcome = (accepted: Promise<unknown>) =>
  accepted.then(
    () => 'accepted',
    (error: DomainError) => `${error.code}: ${error.message}`,
  );

/** From now on verifying gives a proof of the logged-in account. */
async function prove({ secondsAfter = 0, ...exchange }: ExchangeOptions & { secondsAfter?: number } = {}) {
  const proof = await verifiedProof({
    target: '/api/v1/accounts/current_user/',
    headers: [`x-credence-code: ${CODE}`],
    body: '{"user":{"pk":"7","username":"Ada"}}',
    time: T0.getTime() / 1000 + secondsAfter,
    ...exchange,
  });
  verify = async () => proof;
}

describe('a web proof of the profile', () => {
  it.each([
    ['as early as the clocks allow', -TOLERANCE_SECONDS, true],
    ['before the request', -TOLERANCE_SECONDS - 1, false],
    ['as late as the clocks allow', 60 + TOLERANCE_SECONDS, true],
    ['later than now', 60 + TOLERANCE_SECONDS + 1, false],
  ])('was made while the request was open: %s', async (_when, secondsAfter, accepted) => {
    const request = await begin();
    clock.pass(60_000);
    await prove({ secondsAfter });
    expect(await outcome(accept(request.id))).toBe(
      accepted
        ? 'accepted'
        : 'VALIDATION_ERROR: The web proof does not prove the profile: it was not made while the connection request was open.',
    );
  });
});

describe('a proof of the logged-in account', () => {
  it('without an account id links the account that has the handle now', async () => {
    const exchange = { target: '/api/v1/accounts/edit/web_form_data/', body: '{"form_data":{"username":"ada"}}' };
    const platform = new ScriptedPlatform();
    const platforms = platformsOf(platform);
    let profile: PlatformProfile | null = null;
    platform.getProfile = async () => profile as null;
    const request = await begin();
    await prove(exchange);
    const refused = 'VALIDATION_ERROR: The web proof does not prove the profile: its answer has no account id';
    expect(await outcome(accept(request.id, '00', { platforms }))).toContain(refused);
    profile = { handle: 'bob', accountId: '8' } as PlatformProfile;
    expect(await outcome(accept(request.id, '00', { platforms }))).toContain(refused);
    platform.getProfile = () => Promise.reject(new DomainError('PLATFORM_UNAVAILABLE', 'away'));
    expect(await outcome(accept(request.id, '00', { platforms }))).toBe('PLATFORM_UNAVAILABLE: away');
    expect(await creators.find({ externalId: 'ext-1' })).toBeNull();
    platform.getProfile = async () => profile as null;
    profile = { handle: 'Ada', accountId: '7' } as PlatformProfile;
    const { account } = await accept(request.id, '00', { platforms });
    expect(account).toMatchObject({ platformUsername: 'ada', platformAccountId: '7', ownershipProven: true });
  });
});

describe('is good once', () => {
  it('for a day, which is far longer than a request lives', async () => {
    const first = await begin('ext-1');
    await prove();
    await accept(first.id);
    for (const [ms, expected] of [
      [DAY_MS - 1, USED],
      [DAY_MS, 'accepted'],
    ] as const) {
      clock.set(T0.getTime() + ms);
      const { id } = await begin(`ext-${ms}`);
      // A notary whose clock is all wrong: the same attestation, at any time.
      const proof = await verify(webProof);
      verify = async () => ({ ...proof, tlsTimestamp: clock.now().getTime() / 1000 });
      expect(await outcome(accept(id))).toBe(expected);
    }
  });

  it('also when two requests are answered at the same time', async () => {
    const requests = [await begin('ext-1'), await begin('ext-2'), await begin('ext-3')];
    await prove();
    const outcomes = await Promise.all(requests.map(({ id }) => outcome(accept(id))));
    expect(outcomes.filter((each) => each === 'accepted')).toHaveLength(1);
  });
});

describe('a call that is repeated', () => {
  const away = () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'the storage is away'));
  const accountsOf = async (externalId: string) => {
    const creator = await creators.find({ externalId });
    return creator === null ? [] : creators.accountsOf(creator.id);
  };

  it.each([
    ['the account was linked', { storage: { ...storage, creators: { ...creators, link: away } } }],
    ['the request was connected', { storage: { ...storage, connections: { ...connections, update: away } } }],
  ])('after one that broke down before %s continues', async (_what, broken) => {
    const request = await begin();
    const other = await begin('ext-2');
    await prove();
    expect(await outcome(accept(request.id, '00', broken))).toBe('SERVICE_UNAVAILABLE: the storage is away');
    expect(await outcome(accept(other.id))).toBe(USED);
    clock.pass(1000);
    const { request: connected, account } = await accept(request.id);
    expect(connected).toMatchObject({ status: 'connected', accountId: account.id, revision: 1 });
    expect(await connections.find(request.id)).toEqual(connected);
    expect(await accountsOf('ext-1')).toEqual([account]);
    expect(await accountsOf('ext-2')).toEqual([]);
  });

  it('is answered with the account that it linked, whatever others the creator has', async () => {
    const link = { externalId: 'ext-1', email: 'a@example.com', displayName: null, platform: 'tiktok' } as const;
    await creators.link({ ...link, handle: 'ada', profileData: {}, ownershipProven: false, now: clock.now() });
    const request = await begin();
    await prove();
    const first = await accept(request.id);
    expect(first.account.platform).toBe('instagram');
    expect(await accept(request.id)).toEqual(first);
  });

  it('is answered as before, and links nothing again', async () => {
    const request = await begin();
    await prove();
    const first = await accept(request.id);
    expect(await accept(request.id, '01')).toEqual(first);
    const link = { externalId: 'ext-1', platform: 'instagram', handle: 'ada' } as const;
    const disconnected = await creators.disconnect(link, clock.now());
    expect(await accept(request.id)).toEqual({ request: first.request, account: disconnected });
    expect(await accountsOf('ext-1')).toEqual([disconnected]);
    clock.set(T0.getTime() + DAY_MS);
    expect(await outcome(accept(request.id))).toBe(FINISHED);
  });

  it('at the same time has one outcome', async () => {
    const request = await begin();
    await prove();
    const answers = await Promise.all([accept(request.id), accept(request.id), accept(request.id)]);
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect(await connections.find(request.id)).toEqual(answers[0]?.request);
    expect(await accountsOf('ext-1')).toHaveLength(1);
  });

  it('for a request that the bio connected otherwise meanwhile is refused', async () => {
    const request = await begin('ext-1', null);
    await prove();
    await outcome(accept(request.id, '00', { storage: { ...storage, creators: { ...creators, link: away } } }));
    const linked = await creators.link({
      externalId: 'ext-1',
      email: 'a@example.com',
      displayName: null,
      platform: 'instagram',
      handle: 'bob',
      profileData: {},
      ownershipProven: true,
      now: clock.now(),
    });
    const connected = { ...request, status: 'connected', handle: 'bob', accountId: linked.account.id } as const;
    await connections.update(request, { ...connected, revision: 1 });
    expect(await outcome(accept(request.id))).toBe(FINISHED);
    expect(await accountsOf('ext-1')).toEqual([linked.account]);
  });

  it('for a request whose account is gone is refused', async () => {
    const request = await begin();
    await prove();
    await accept(request.id);
    const nobody = { storage: { ...storage, creators: { ...creators, find: async () => null } } };
    expect(await outcome(accept(request.id, '00', nobody))).toBe(FINISHED);
    const none = { storage: { ...storage, creators: { ...creators, accountsOf: async () => [] } } };
    expect(await outcome(accept(request.id, '00', none))).toBe(FINISHED);
  });
});

describe('a look at the bio at the same time', () => {
  /** What happens between linking the account and connecting the request. */
  const meanwhile = (change: () => Promise<unknown>): Partial<AcceptWebProofDeps> => ({
    storage: {
      ...storage,
      creators: {
        ...creators,
        async link(input) {
          const linked = await creators.link(input);
          await change();
          return linked;
        },
      },
    },
  });

  it.each(['pending', 'failed'] as const)(
    'that leaves the request %s does not keep it from being connected',
    async (status) => {
      const request = await begin();
      await prove();
      const looked = { ...request, status, checks: 1, revision: 1 };
      const looking = meanwhile(() => connections.update(request, looked));
      const { request: connected, account } = await accept(request.id, '00', looking);
      expect(connected).toEqual({ ...looked, handle: 'ada', status: 'connected', accountId: account.id, revision: 2 });
      expect(await connections.find(request.id)).toEqual(connected);
    },
  );

  it('that connects another account wins', async () => {
    const request = await begin('ext-1', null);
    await prove();
    const connected = { ...request, status: 'connected', handle: 'bob', accountId: 987_654, revision: 1 } as const;
    const looking = meanwhile(() => connections.update(request, connected));
    expect(await outcome(accept(request.id, '00', looking))).toBe(FINISHED);
    expect(await connections.find(request.id)).toEqual(connected);
  });

  it('of a request that is removed meanwhile changes nothing', async () => {
    const request = await begin();
    await prove();
    const find = async (id: string) => (looks++ ? null : connections.find(id));
    const gone = { ...connections, update: async () => false, find };
    let looks = 0;
    expect(await outcome(accept(request.id, '00', { storage: { ...storage, connections: gone } }))).toBe(FINISHED);
  });
});

describe('the request', () => {
  it('must not have expired, which is found out before the proof is looked at', async () => {
    const request = await begin();
    const later = await begin('ext-2');
    await prove({ secondsAfter: LIFETIME_MS / 1000 });
    clock.pass(LIFETIME_MS - 1);
    expect(await outcome(accept(request.id))).toBe('accepted');
    clock.pass(1);
    verify = () => Promise.reject(new Error('not looked at'));
    expect(await outcome(accept(later.id))).toBe('CONFLICT: The connection request has expired: start a new one.');
  });
});
