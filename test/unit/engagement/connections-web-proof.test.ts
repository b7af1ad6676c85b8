import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { acceptWebProof } from '../../../core/engagement/connections/accept-web-proof.ts';
import { startConnection } from '../../../core/engagement/connections/start-connection.ts';
import { DomainError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { VerifiedWebProof, WebProof } from '../../../core/web-proof/verify.ts';
import { T0 } from '../../support/engagement-samples.ts';
import { type ExchangeOptions, verifiedProof } from '../../support/verified-proof.ts';

const LIFETIME_MS = 30 * 60 * 1000;
const SKEW_SECONDS = 120;
const DAY_MS = 24 * 60 * 60 * 1000;

const storage = createSqliteStorage({ path: ':memory:' });
let now: Date;
/** What verifying comes to. */
let verify: (webProof: WebProof) => Promise<VerifiedWebProof>;

beforeEach(async () => {
  await storage.open();
  now = T0;
});
afterEach(() => storage.close());

const { connections, creators } = storage;
const clock = { now: () => now };
const webProof: WebProof = { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const accept = (requestId: string, data = '00') =>
  acceptWebProof({ connections, creators, verify: (proof) => verify(proof), clock })({
    requestId,
    webProof: { ...webProof, data },
  });
const begin = (externalId = 'ext-1', handle: string | null = 'ada') =>
  startConnection({ connections, clock, random: systemRandom })({ externalId, platform: 'instagram', handle });
const outcome = (accepted: Promise<unknown>) =>
  accepted.then(
    () => 'accepted',
    (error: DomainError) => `${error.code}: ${error.message}`,
  );

/** From now on verifying gives a proof of the logged-in account. */
async function prove({ secondsAfter = 0, ...exchange }: ExchangeOptions & { secondsAfter?: number } = {}) {
  const proof = await verifiedProof({
    target: '/api/v1/accounts/current_user/',
    body: '{"user":{"username":"Ada"}}',
    time: T0.getTime() / 1000 + secondsAfter,
    ...exchange,
  });
  verify = async () => proof;
}

describe('a web proof of the profile', () => {
  it('links the account with ownership proven and finishes the request', async () => {
    const request = await begin('ext 1', null);
    await prove();
    let verified: WebProof | undefined;
    const proven = verify;
    verify = (proof) => {
      verified = proof;
      return proven(proof);
    };
    pass(1000);
    const { request: connected, account } = await accept(request.id, 'c0ffee');
    expect(verified).toEqual({ ...webProof, data: 'c0ffee' });
    expect(account).toMatchObject({
      platform: 'instagram',
      platformUsername: 'ada',
      profileData: {},
      ownershipProven: true,
      connectedAt: now,
    });
    expect(connected).toEqual({
      ...request,
      handle: 'ada',
      status: 'connected',
      accountId: account.id,
      revision: 1,
    });
    expect(await connections.find(request.id)).toEqual(connected);
    const creator = await creators.findByExternalId('ext 1');
    expect(creator).toMatchObject({ displayName: null, email: expect.stringMatching(/^ext-1\..*@creators\.invalid$/) });
    expect(await creators.accountsOf(creator?.id ?? 0)).toEqual([account]);
  });

  it('is told why it shows nothing, and leaves the request open', async () => {
    const request = await begin('ext-1', 'bob');
    await prove();
    expect(await outcome(accept(request.id))).toBe(
      'VALIDATION_ERROR: The web proof does not prove the profile: it is about @ada, not about @bob.',
    );
    expect(await connections.find(request.id)).toEqual(request);
    expect(await creators.findByExternalId('ext-1')).toBeNull();
    await prove({ body: '{"user":{"username":"bob"}}' });
    expect(await outcome(accept(request.id))).toBe('accepted');
  });

  it('that does not hold is the fault of who sent it', async () => {
    const request = await begin();
    verify = () =>
      Promise.reject(new DomainError('INTERNAL_SERVER_ERROR', 'Verification failed: the request is for b.test.'));
    expect(await outcome(accept(request.id))).toBe(
      'VALIDATION_ERROR: The web proof does not prove the profile: Verification failed: the request is for b.test.',
    );
    verify = () => Promise.reject(new DomainError('INVALID_PRESENTATION', 'cut off'));
    expect(await outcome(accept(request.id))).toBe('INVALID_PRESENTATION: cut off');
    const defect = new Error('a defect');
    verify = () => Promise.reject(defect);
    await expect(accept(request.id)).rejects.toBe(defect);
  });

  it.each([
    ['as early as the clocks allow', -SKEW_SECONDS, true],
    ['before the request', -SKEW_SECONDS - 1, false],
    ['as late as the clocks allow', 60 + SKEW_SECONDS, true],
    ['later than now', 60 + SKEW_SECONDS + 1, false],
  ])('was made while the request was open: %s', async (_when, secondsAfter, accepted) => {
    const request = await begin();
    pass(60_000);
    await prove({ secondsAfter });
    expect(await outcome(accept(request.id))).toBe(
      accepted
        ? 'accepted'
        : 'VALIDATION_ERROR: The web proof does not prove the profile: it was not made while the connection request was open.',
    );
  });
});

describe('is good once', () => {
  it('for one request, in whatever way it is presented', async () => {
    const first = await begin('ext-1');
    const second = await begin('ext-2');
    await prove();
    expect(await outcome(accept(first.id, '00'))).toBe('accepted');
    expect(await outcome(accept(second.id, '01'))).toBe('CONFLICT: This web proof has been used already.');
    expect(await creators.findByExternalId('ext-2')).toBeNull();
    expect(await connections.find(second.id)).toEqual(second);
    await prove({ seed: 2 });
    expect(await outcome(accept(second.id, '00'))).toBe('accepted');
  });

  it('for a day, which is far longer than a request lives', async () => {
    const first = await begin('ext-1');
    await prove();
    await accept(first.id);
    for (const [ms, expected] of [
      [DAY_MS - 1, 'CONFLICT: This web proof has been used already.'],
      [DAY_MS, 'accepted'],
    ] as const) {
      now = new Date(T0.getTime() + ms);
      const { id } = await begin(`ext-${ms}`);
      // A notary whose clock is all wrong: the same attestation, at any time.
      const proof = await verify(webProof);
      verify = async () => ({ ...proof, tlsTimestamp: now.getTime() / 1000 });
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

describe('the request', () => {
  it('has to exist', async () => {
    await prove();
    expect(await outcome(accept('f'.repeat(48)))).toBe('NOT_FOUND: There is no such connection request.');
  });

  it.each(['connected', 'failed'] as const)('must not be %s already', async (status) => {
    const request = await begin();
    await connections.update(request, { ...request, status, revision: 1 });
    await prove();
    expect(await outcome(accept(request.id))).toBe('CONFLICT: The connection request is finished already.');
  });

  it('must not have expired, which is found out before the proof is looked at', async () => {
    const request = await begin();
    const later = await begin('ext-2');
    await prove({ secondsAfter: LIFETIME_MS / 1000 });
    pass(LIFETIME_MS - 1);
    expect(await outcome(accept(request.id))).toBe('accepted');
    pass(1);
    verify = () => Promise.reject(new Error('not looked at'));
    expect(await outcome(accept(later.id))).toBe('CONFLICT: The connection request has expired: start a new one.');
  });
});

function pass(ms: number) {
  now = new Date(now.getTime() + ms);
}
