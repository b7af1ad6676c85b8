import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../core/access/token.ts';
import { completeConnecting, startConnecting } from '../../../core/engagement/brand-connections/connect-account.ts';
import { disconnectAccount, listConnections } from '../../../core/engagement/brand-connections/manage-connections.ts';
import { createOfficialAccounts } from '../../../core/engagement/brand-connections/official-accounts.ts';
import { renewConnections } from '../../../core/engagement/brand-connections/renew-connections.ts';
import { deleteBrand } from '../../../core/engagement/brands/change-brand.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import {
  createFakeOfficial,
  type FakeOfficial,
  HOUR_MS,
  REDIRECT_URI,
  refusedToken,
} from '../../support/fake-official.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { createTestClock } from '../../support/test-clock.ts';

const storage = storageOfEachTest();
const admin: Caller = { role: 'admin', tokenId: 1, externalId: null, key: 'token:1' };
let accounts = 0;
let clock: ReturnType<typeof createTestClock>;
let api: FakeOfficial;
let logger: ReturnType<typeof createRecordingLogger>;
let brandId: number;
let accountId: string;

/** As another process has it. */
function parts() {
  const shared = {
    storage,
    clock,
    logger,
    random: systemRandom,
    secretBox: createSecretBox(new Uint8Array(32).fill(3)),
    relay: { nudge: async () => {} },
    officialApis: new Map([[api.platform, api]]),
    pushUrl: (platform: string) => `https://credence.example/push/${platform}`,
  };
  const officialAccounts = createOfficialAccounts({ ...shared, configured: new Map([[api.platform, api.accounts]]) });
  const deps = { ...shared, officialAccounts };
  return {
    start: startConnecting(deps),
    complete: completeConnecting(deps),
    list: listConnections(deps),
    disconnect: disconnectAccount(deps),
    renew: renewConnections(deps),
    deleteBrand: deleteBrand(deps),
    officialAccounts,
  };
}
let here: ReturnType<typeof parts>;

beforeEach(async () => {
  clock = createTestClock();
  api = createFakeOfficial('tiktok', { now: () => clock.now() });
  logger = createRecordingLogger();
  brandId = await newBrand();
  accounts += 1;
  accountId = `acc${accounts}`;
  here = parts();
});

async function newBrand(): Promise<number> {
  const slug = `brand-${Math.random().toString(36).slice(2)}`;
  const brand = await storage.brands.create({ name: 'B', slug, logoUrl: null, createdAt: clock.now() });
  return brand?.id ?? 0;
}

async function begin(of = brandId): Promise<string> {
  const begun = await here.start({ brandId: of, platform: 'tiktok', redirectUri: REDIRECT_URI, caller: admin });
  return begun.state;
}

async function connect(of = brandId) {
  const code = `code-${accountId}`;
  return here.complete({ brandId: of, state: await begin(of), code, caller: admin });
}

const stored = async (id: number) => (await storage.brandConnections.find(id)) ?? expect.fail('It is gone.');
const events = async (id: number) =>
  (await storage.outbox.pending(1_000)).find(({ owner }) => owner === `brandConnections:${id}`)?.entries ?? [];

describe('connecting an account', () => {
  it('leads to the platform and back, and the account can be read and pushes', async () => {
    const begun = await here.start({ brandId, platform: 'tiktok', redirectUri: REDIRECT_URI, caller: admin });
    const url = new URL(begun.authorizationUrl);
    expect(url.searchParams.get('state')).toBe(begun.state);
    expect(begun.expiresAt.getTime() - clock.now().getTime()).toBe(600_000);
    expect(await here.officialAccounts.of('tiktok', brandId)).toEqual([]);
    const { connection, warning } = await connect();
    expect(warning).toBeNull();
    expect(connection).toMatchObject({ accountId, handle: `handle-${accountId}`, status: 'active', lastFailure: null });
    expect(connection.renewAt).toEqual(new Date(clock.now().getTime() + 12 * HOUR_MS));
    expect(api.subscribed.get(accountId)).toBe('https://credence.example/push/tiktok');
    expect(JSON.stringify(await stored(connection.id))).not.toContain('secret');
    clock.pass(4_000);
    const [account] = await here.officialAccounts.of('tiktok', brandId);
    expect(account).toEqual({
      connectionId: connection.id,
      brandId,
      accountId,
      handle: `handle-${accountId}`,
      accessToken: 'access-secret-0',
    });
    expect(await here.officialAccounts.byAccountId('tiktok', accountId)).toEqual(account);
    expect(await here.officialAccounts.of('tiktok', await newBrand())).toEqual([]);
    expect(await here.officialAccounts.of('instagram', brandId)).toEqual([]);
  });

  it('takes a state for ten minutes, of its brand and its caller only', async () => {
    const state = await begin();
    const complete = (changes: object) =>
      here.complete({ brandId, state, code: `code-${accountId}`, caller: admin, ...changes });
    // A host may count many people under one key.
    for (const other of [{ key: 'token:2' }, { externalId: 'ada' }, { role: 'brand', brandId }]) {
      await expect(complete({ caller: { ...admin, ...other } })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    await expect(complete({ brandId: await newBrand() })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    for (const spoilt of ['', 'x', `${state.slice(0, -2)}AA`]) {
      await expect(complete({ state: spoilt })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
    await expect(complete({ code: 'stranger' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    clock.pass(600_000);
    await expect(complete({})).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(api.given).toEqual([]);
  });

  it('replaces tokens of the same brand, and tells another one no more than that it is connected', async () => {
    const first = (await connect()).connection;
    const again = (await connect()).connection;
    expect(again.id).toBe(first.id);
    expect(again.sealedTokens).not.toBe(first.sealedTokens);
    const stranger = await newBrand();
    const refusal = await connect(stranger).catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: 'CONFLICT', message: expect.not.stringMatching(/\d/) });
    expect(await here.list(stranger)).toEqual([]);
    expect(api.revoked).toEqual([]);
  });

  it('says that comments are not pushed yet, and the renewal subscribes', async () => {
    api.failing = { ...api.failing, subscribe: new Error('secret inside') };
    const { connection, warning } = await connect();
    expect(warning).toMatch(/not pushed yet; it is tried again/);
    expect(connection).toMatchObject({ subscribedAt: null, lastFailure: { error: 'INTERNAL_ERROR', times: 1 } });
    expect(JSON.stringify(connection.lastFailure)).not.toContain('secret');
    clock.pass(60_000);
    expect(await here.renew()).toBe(1);
    expect((await stored(connection.id)).lastFailure).toMatchObject({ times: 2 });
    api.failing = { ...api.failing, subscribe: null };
    clock.pass(60_000);
    expect(await here.renew()).toBe(0);
    clock.pass(240_000);
    expect(await here.renew()).toBe(1);
    expect(await stored(connection.id)).toMatchObject({ subscribedAt: clock.now(), lastFailure: null });
    expect(api.renewed).toEqual([]);
  });

  it('is taken up by the renewal if the process dies before comments are subscribed to', async () => {
    let dies = true;
    const { subscribe } = api.push;
    api.push.subscribe = (...given) => (dies ? new Promise(() => {}) : subscribe(...given));
    void connect();
    await expect.poll(async () => (await storage.brandConnections.list({ brandId })).length).toBe(1);
    dies = false;
    expect(await parts().renew()).toBe(1);
    expect(api.subscribed.has(accountId)).toBe(true);
  });
});

describe('disconnecting', () => {
  it('forgets the tokens and gives them back, also if the platform does not take them', async () => {
    const { id } = (await connect()).connection;
    await expect(here.disconnect(await newBrand(), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await here.disconnect(brandId, id);
    expect(api.revoked).toEqual(api.given);
    expect(await storage.brandConnections.find(id)).toBeNull();
    await expect(here.disconnect(brandId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    api.failing = { ...api.failing, revoke: refusedToken('token-revoked') };
    await here.disconnect(brandId, (await connect()).connection.id);
    expect(await here.list(brandId)).toEqual([]);
  });

  it('is done with the brand', async () => {
    const { id } = (await connect()).connection;
    await here.deleteBrand(brandId);
    expect(await storage.brandConnections.find(id)).toBeNull();
    expect(api.revoked).toEqual(api.given);
  });
});

describe('renewing', () => {
  it('replaces tokens half a day before they end, in one of several processes', async () => {
    const { connection } = await connect();
    clock.pass(12 * HOUR_MS - 1);
    expect(await here.renew()).toBe(0);
    clock.pass(1);
    const { promise, resolve: go } = Promise.withResolvers<void>();
    api.held = promise;
    const both = [here.renew(), parts().renew()];
    go();
    expect((await Promise.all(both)).toSorted()).toEqual([0, 1]);
    expect(api.renewed).toEqual([api.given[0]]);
    const after = await stored(connection.id);
    expect(after).toMatchObject({ status: 'active', renewedAt: clock.now(), subscribedAt: connection.subscribedAt });
    expect((await parts().officialAccounts.of('tiktok', brandId))[0]?.accessToken).toBe('access-secret-1');
  });

  it('keeps fresh tokens through an outage of the storage and a change in between', async () => {
    const { connection } = await connect();
    clock.pass(12 * HOUR_MS);
    const { update } = storage.brandConnections;
    let failures = 2;
    storage.brandConnections.update = async (before, changes, outbox) => {
      if (changes.sealedTokens !== undefined && failures > 0) {
        failures -= 1;
        // Once another process has marked it meanwhile, once the storage is away.
        if (failures === 1) await update(before, { status: 'revoked' });
        else throw new Error('The storage is away.');
      }
      return update(before, changes, outbox);
    };
    try {
      await here.renew();
    } finally {
      storage.brandConnections.update = update;
    }
    expect(await stored(connection.id)).toMatchObject({ status: 'active', renewedAt: clock.now() });
    expect((await parts().officialAccounts.of('tiktok', brandId))[0]?.accessToken).toBe('access-secret-1');
  });

  it('leaves tokens of a brand that has connected again meanwhile', async () => {
    const { connection } = await connect();
    clock.pass(12 * HOUR_MS);
    const { promise, resolve: go } = Promise.withResolvers<void>();
    api.held = promise;
    const renewing = here.renew();
    await expect.poll(async () => (await stored(connection.id)).revision).toBeGreaterThan(connection.revision);
    await connect();
    go();
    await renewing;
    expect((await parts().officialAccounts.of('tiktok', brandId))[0]?.accessToken).toBe('access-secret-1');
  });

  it('waits longer after each failure, and ends with the refresh token', async () => {
    const { connection } = await connect();
    api.failing = { ...api.failing, renew: new Error('away') };
    clock.pass(12 * HOUR_MS);
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      expect(await here.renew()).toBe(1);
      const { renewAt } = await stored(connection.id);
      waits.push(((renewAt?.getTime() ?? 0) - clock.now().getTime()) / 60_000);
      clock.pass((waits.at(-1) ?? 0) * 60_000);
    }
    expect(waits).toEqual([1, 4, 16, 64, 256, 360]);
    // The access token has ended, so that nothing is read with it; fresh ones may still come.
    clock.pass(12 * HOUR_MS);
    expect(await here.officialAccounts.of('tiktok', brandId)).toEqual([]);
    expect(await stored(connection.id)).toMatchObject({ status: 'active' });
    clock.pass(366 * 24 * HOUR_MS);
    await here.renew();
    expect(await stored(connection.id)).toMatchObject({ status: 'expired', renewAt: null });
    expect(await events(connection.id)).toHaveLength(1);
  });

  it.each([
    ['token-expired', 'expired'],
    ['token-revoked', 'revoked'],
    ['token-scope', 'scope'],
  ] as const)('stops at %s, and announces it once', async (reason, status) => {
    const { connection } = await connect();
    api.failing = { ...api.failing, renew: refusedToken(reason) };
    clock.pass(12 * HOUR_MS);
    await Promise.all([here.renew(), parts().renew()]);
    expect(await stored(connection.id)).toMatchObject({ status, renewAt: null });
    const { platform, handle, id: connectionId } = connection;
    expect(await events(connectionId)).toMatchObject([
      { event: { event: 'connection.expired', brandId, data: { connectionId, platform, handle, reason: status } } },
    ]);
    clock.pass(24 * HOUR_MS);
    expect(await here.renew()).toBe(0);
    // Connecting again makes it good.
    expect((await connect()).connection).toMatchObject({ id: connectionId, status: 'active', lastFailure: null });
  });
});

describe('a token that is refused while it is used', () => {
  const used = async () => {
    const { connection } = await connect();
    clock.pass(HOUR_MS);
    const [account] = await here.officialAccounts.of('tiktok', brandId);
    if (account === undefined) throw new Error('The account is missing.');
    return { account, connection };
  };

  it('marks the connection once, and the account is read no more', async () => {
    const { account, connection } = await used();
    const others = Array.from({ length: 5 }, () => parts().officialAccounts);
    await Promise.all([here.officialAccounts, ...others].map((each) => each.refused(account, 'revoked')));
    expect(await stored(connection.id)).toMatchObject({ status: 'revoked' });
    expect(await events(connection.id)).toHaveLength(1);
    expect(await here.officialAccounts.of('tiktok', brandId)).toEqual([]);
  });

  it('is renewed at once if it has only ended early', async () => {
    const { account, connection } = await used();
    await here.officialAccounts.refused(account, 'expired');
    expect(await stored(connection.id)).toMatchObject({ status: 'active', renewAt: clock.now() });
    expect(await here.renew()).toBe(1);
    // A late answer to the former token says nothing about the new one.
    await here.officialAccounts.refused(account, 'revoked');
    expect(await stored(connection.id)).toMatchObject({ status: 'active' });
    const [fresh] = await parts().officialAccounts.of('tiktok', brandId);
    await here.officialAccounts.refused(fresh ?? account, 'expired');
    expect(await stored(connection.id)).toMatchObject({ status: 'expired' });
  });

  it('does not reject if the storage is away', async () => {
    const { account } = await used();
    const { find } = storage.brandConnections;
    storage.brandConnections.find = async () => Promise.reject(new Error('away'));
    await here.officialAccounts.refused(account, 'revoked');
    storage.brandConnections.find = find;
    expect(logger.text()).not.toContain('access-secret');
  });
});

describe('accounts of the configuration', () => {
  it('are listed, read and subscribed to, and left out while their token is refused', async () => {
    let accessToken = 'own-secret-1';
    const own = { brandId, accountId: 'own', handle: 'acme', accessToken: async () => accessToken };
    api = createFakeOfficial('tiktok', { now: () => clock.now(), accounts: [own] });
    here = parts();
    const configured = { id: null, source: 'configuration', handle: 'acme', status: 'active' };
    expect(await here.list(brandId)).toMatchObject([configured]);
    expect(JSON.stringify(await here.list(brandId))).not.toContain('secret');
    await here.renew();
    await here.renew();
    expect([...api.subscribed]).toEqual([['own', 'https://credence.example/push/tiktok']]);
    const [account] = await here.officialAccounts.of('tiktok', brandId);
    expect(account).toMatchObject({ connectionId: null, accessToken: 'own-secret-1' });
    if (account !== undefined) await here.officialAccounts.refused(account, 'expired');
    expect(await here.officialAccounts.of('tiktok', brandId)).toEqual([]);
    accessToken = 'own-secret-2';
    clock.pass(4_000);
    expect(await here.officialAccounts.of('tiktok', brandId)).toMatchObject([{ accessToken: 'own-secret-2' }]);
  });
});
