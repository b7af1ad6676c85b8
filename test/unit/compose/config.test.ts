/** Every mistake in the configuration of the library is a `ConfigurationError` that names the field, and nothing else of it. */

import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { instagram } from '../../../adapters/instagram/index.ts';
import { createTikTokPlatform, tiktok, tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import {
  ConfigurationError,
  type CredenceConfig,
  createCredence,
  type PlatformAdapter,
  silentLogger,
} from '../../../plugins/compose/index.ts';
import { configFields, configWith } from '../../support/config-fields.ts';

const APP = { appId: '1', appSecret: 's', verifyToken: 'v' };
const FINGERPRINT = 'ab'.repeat(32);
const remote = (part: object) => [{ url: 'https://n.example', token: 't', fingerprint: FINGERPRINT, ...part }];

/** With everything on, so that whatever takes a field is made; nothing is opened before `start()`. */
function create(config: object): void {
  const parts = { services: ['engagement', 'web-prover', 'zk-prover', 'notary'], zkProver: fakeProver() };
  const key = { notary: { key: { secret: new Uint8Array(32).fill(7) } } };
  createCredence({ ...parts, ...key, ...config } as CredenceConfig, { logger: silentLogger });
}

function refusal(config: object): unknown {
  try {
    create(config);
  } catch (error) {
    return error;
  }
  return 'taken';
}

function expectRefused(config: object, ...fields: readonly string[]): void {
  const error = refusal(config);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as ConfigurationError).issues.map(({ field }) => field)).toEqual(fields);
}

describe('an unusable value', () => {
  it.each<[string, unknown, string?]>([
    ['storage.url', 'mysql://h/x'],
    ['secrets.keyFile', ''],
    ['egress.allow', ['127.0.0.1'], 'egress.allow.0'],
    ['egress.ports', [0], 'egress.ports.0'],
    ['platforms.proxyUrl', 'socks5://h'],
    ['platforms.instagram.baseUrl', 'ftp://h'],
    ['platforms.instagram.sessionIds', ['a;b'], 'platforms.instagram.sessionIds.0'],
    ['platforms.instagram.sessionIds', Array.from({ length: 101 }, () => 'a')],
    ['platforms.instagram.sources', ['other'], 'platforms.instagram.sources.0'],
    ['platforms.tiktok.sources', []],
    ['platforms.tiktok.sources', ['official'], 'platforms.tiktok.official'],
    ['platforms.tiktok.official', { appId: '1' }, 'platforms.tiktok.official.appSecret'],
    ['platforms.instagram.official', { ...APP, login: 'other' }, 'platforms.instagram.official.login'],
    ['platforms.instagram.official', { ...APP, redirectUris: ['/x'] }, 'platforms.instagram.official.redirectUris.0'],
    ['platforms.instagram.official', { ...APP, more: 1 }],
    ['platforms.dataProvider', { key: 'a b' }, 'platforms.dataProvider.key'],
    ['platforms.dataProvider', { key: 'k', baseUrl: 'h' }, 'platforms.dataProvider.baseUrl'],
    ['platforms.dataProvider', { key: 'k', name: 'other' }, 'platforms.dataProvider.name'],
    ['platforms.dataProvider', { key: 'k', dailyCredits: 0 }, 'platforms.dataProvider.dailyCredits'],
    ['redisUrl', 'http://h'],
    ['redisPrefix', 'a b'],
    ['notary.key.file', ''],
    ['notary.key.secret', new Uint8Array(5)],
    ['notary.key.secret', new Uint8Array(32)],
    ['notary.url', 'notary.example'],
    ['remoteNotaries', remote({ url: 'http://notary:7047' }), 'remoteNotaries.0.url'],
    ['remoteNotaries', remote({ token: 'a'.repeat(513) }), 'remoteNotaries.0.token'],
    ['remoteNotaries', remote({ token: 'a\nb' }), 'remoteNotaries.0.token'],
    ['remoteNotaries', remote({ fingerprint: 'abc' }), 'remoteNotaries.0.fingerprint'],
    ['trustedNotaries', [{ fingerprint: 'abc' }], 'trustedNotaries.0.fingerprint'],
    ['trustedNotaries', Array.from({ length: 10_000 }, () => ({ fingerprint: FINGERPRINT }))],
    ['extraRoots', ['no PEM'], 'extraRoots.0'],
    ['webProofCallback.secret', 'whsec_short'],
    ['webProofCallback.secret', `whsec_${'a'.repeat(17)}`],
    ['retention.days', 0],
    ['delayScale', 0],
  ])('of %s is refused by the name of the field', (path, value, field = path) => {
    expectRefused(configWith(path, value), field);
  });

  it('is named beside every other one', () => {
    expectRefused(
      {
        adminToken: 'short',
        secrets: { key: new Uint8Array(5) },
        remoteNotaries: remote({ url: 'http://n', token: '' }),
      },
      'adminToken',
      'secrets.key',
      'remoteNotaries.0.url',
      'remoteNotaries.0.token',
    );
  });

  it('is not quoted', () => {
    const secrets = { adminToken: 's3cret of the admin', platforms: { instagram: { sessionIds: ['s3cret;'] } } };
    const error = refusal({ ...secrets, webProofCallback: { secret: 's3cret' } });
    expect((error as ConfigurationError).issues).toHaveLength(3);
    expect(String(error)).not.toContain('s3cret');
  });
});

describe('every field', () => {
  const fields = configFields();

  it('is known to this test', () => {
    expect(fields.length).toBeGreaterThan(35);
  });

  it.each(fields.map(({ path }) => path))('%s refuses what is of another type', (path) => {
    const error = refusal(configWith(path, Symbol('odd')));
    expect(error).toBeInstanceOf(ConfigurationError);
    // One of several ways to set a field cannot be told from another when neither fits: what holds it is named.
    const named = (error as ConfigurationError).issues.map(({ field }) => field);
    expect(named.filter((field) => `${path}.`.startsWith(`${field}.`))).not.toEqual([]);
  });
});

it('the longest lists that are taken are taken by every part', () => {
  const many = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
  const config = {
    trustedNotaries: many(9_999, { fingerprint: FINGERPRINT }),
    remoteNotaries: many(100, remote({ token: 'a'.repeat(512), fingerprint: FINGERPRINT.toUpperCase() })[0]),
    platforms: { instagram: { sessionIds: many(100, 'a') } },
    egress: { allow: ['10.0.0.0/8', '::1/128', 'fd00::/8'], ports: [1, 65_535] },
    webProofCallback: { secret: `whsec_${'a'.repeat(16)}` },
  };
  expect(() => create(config)).not.toThrow();
});

describe('the list of platforms', () => {
  const toy = (name: string, host: string): PlatformAdapter => ({
    descriptor: { ...tiktokDescriptor, name, label: name, hosts: [host] },
    create: () => createTikTokPlatform({ baseUrl: 'http://127.0.0.1:9' }),
  });
  const enumOf = (config: CredenceConfig): unknown => {
    const { routes } = createCredence(config, { logger: silentLogger });
    const body = routes.find(({ id }) => id === 'registerCreator')?.body as z.ZodObject<{ platform: z.ZodEnum }>;
    return body.shape.platform.options;
  };

  it('is Instagram and TikTok by default, with others in addition, or exactly what the host lists', () => {
    expect(enumOf({})).toEqual(['instagram', 'tiktok']);
    expect(enumOf({ platforms: { extra: [toy('toy', 'toy.example')] } })).toEqual(['instagram', 'tiktok', 'toy']);
    const platforms = [toy('toy', 'toy.example'), instagram({ sessionIds: ['1'] })];
    expect(enumOf({ platforms })).toEqual(['toy', 'instagram']);
    expect(enumOf({ platforms: [tiktok({ pacing: 'off' })] })).toEqual(['tiktok']);
  });

  it('refuses a list that is ambiguous, empty, or holds something else, and names what is missing', () => {
    const again = [tiktok(), toy('tiktok', 'b.example')];
    expectRefused({ platforms: again }, 'platforms');
    expect((refusal({ platforms: again }) as Error).message).toContain('Two platforms are named tiktok');
    expectRefused({ platforms: [toy('one', 'a.example'), toy('two', 'a.example')] }, 'platforms');
    expectRefused({ platforms: { extra: [toy('instagram', 'a.example')] } }, 'platforms');
    expectRefused({ platforms: [] }, 'platforms');
    const { isHandle: _isHandle, ...descriptor } = tiktokDescriptor;
    expectRefused({ platforms: [tiktok(), { ...tiktok(), descriptor }] }, 'platforms.1.descriptor.isHandle');
    expectRefused({ platforms: { extra: [{ descriptor: tiktokDescriptor }] } }, 'platforms.extra.0.create');
    expectRefused({ platforms: [tiktok] }, 'platforms.0');
  });
});

describe('keys beside a storage in memory', () => {
  const storage = 'sqlite::memory:';

  it('are new with each instance and in no file', () => {
    const [one, other] = [resolveConfig({ storage }), resolveConfig({ storage: { url: storage } })];
    expect(one.secrets).toEqual({ key: expect.any(Uint8Array), replaced: false });
    expect(one.secrets).not.toEqual(other.secrets);
  });

  it('are files for every other storage', () => {
    for (const other of ['sqlite:./a.db', 'mongodb://127.0.0.1/credence']) {
      expect(resolveConfig({ storage: other })).toMatchObject({
        secrets: { keyFile: './data/secrets.key' },
        notary: { key: { file: './data/notary.key' } },
      });
    }
  });
});
