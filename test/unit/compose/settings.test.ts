import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { settingsOf } from '../../../plugins/compose/settings.ts';
import { configFields } from '../../support/config-fields.ts';

const SECRET = 'hidden-hidden-hidden-hidden';
const ACCOUNT = { brandId: 1, accountId: '2', handle: 'brand' };

describe('the settings that operators see', () => {
  it('are all fields of the configuration, none with the name of a secret shown', () => {
    const fields = configFields();
    expect(settingsOf(resolveConfig({})).map(({ field }) => field)).toEqual(fields.map(({ path }) => path));
    const named = fields.filter(({ path }) => /token$|secret$|[.]key$|session(?!s[.])/i.test(path));
    expect(named.map(({ path, shown }) => [path, shown])).toEqual(named.map(({ path }) => [path, 'secret']));
  });

  it('hold no secret', () => {
    const config = resolveConfig({
      storage: `mongodb://user:${SECRET}@h1:27017,h2/db?appName=${SECRET}`,
      adminToken: SECRET,
      secrets: { key: Buffer.from(SECRET.repeat(2)).subarray(0, 32) },
      redisUrl: `rediss://:${SECRET}@redis:6379`,
      platforms: {
        proxyUrl: `http://user-{session}:${SECRET}@proxy:8080`,
        instagram: { sessionIds: [SECRET], baseUrl: `https://gateway.example/${SECRET}` },
        tiktok: {
          baseUrl: `https://gateway.example/v1/${SECRET}/`,
          official: { appId: '1', appSecret: SECRET, accounts: [{ ...ACCOUNT, accessToken: SECRET }] },
        },
        dataProvider: { key: SECRET, baseUrl: `https://provider.example/${SECRET}` },
      },
      notary: { key: { secret: Buffer.from(SECRET.repeat(2)).subarray(0, 32) } },
      remoteNotaries: [{ url: 'https://n.example', token: SECRET, fingerprint: 'ab'.repeat(32) }],
      webProofCallback: { secret: `whsec_${Buffer.from(SECRET).toString('base64')}` },
    });
    const settings = settingsOf(config);
    const text = JSON.stringify(settings);
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64'), Buffer.from(SECRET).toString('hex')]) {
      expect(text).not.toContain(form);
    }
    const settingOf = (name: string) => settings.find(({ field }) => field === name);
    expect(settingOf('storage.url')?.value).toBe('mongodb://…@h1:27017,h2/db?…');
    expect(settingOf('redisUrl')?.value).toBe('rediss://…@redis:6379');
    expect(settingOf('remoteNotaries')?.value).toBe(1);
    expect(settingOf('adminToken')).toEqual({ field: 'adminToken', isSet: true, isSecret: true, value: null });
    expect(settingOf('platforms.tiktok.official')).toMatchObject({ isSet: true, value: null });
    expect(settingOf('platforms.tiktok.sources')?.value).toEqual(['own']);
    expect(settingOf('platforms.tiktok.baseUrl')?.value).toBe('https://gateway.example/…');
    expect(settingOf('connect.brand.name')).toMatchObject({ isSet: false, value: null });
  });

  it('show files, canary targets and trusted notaries whole', () => {
    const target = `https://www.tiktok.com/@${'a'.repeat(24)}/video/7300000000000000001`;
    const config = resolveConfig({
      secrets: { keyFile: `/srv/${'folder/'.repeat(40)}secrets.key` },
      publicUrl: 'https://api.example/engagement',
      trustedNotaries: [{ fingerprint: 'cd'.repeat(32), name: 'Partner' }, { fingerprint: 'ef'.repeat(32) }],
      canaries: { targets: [target] },
    });
    const values = Object.fromEntries(settingsOf(config).map(({ field, value }) => [field, value]));
    expect(values).toMatchObject({
      'secrets.keyFile': `/srv/${'folder/'.repeat(40)}secrets.key`,
      publicUrl: 'https://api.example/engagement',
      trustedNotaries: [`Partner: ${'cd'.repeat(32)}`, 'ef'.repeat(32)],
      'canaries.targets': [target],
    });
  });
});
