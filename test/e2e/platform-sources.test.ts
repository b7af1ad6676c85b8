/** Who is asked about a platform is configuration: our own reader, a data provider, or one after the other. */
import { describe, expect, it } from 'vitest';
import { SIMULATED_PROVIDER_KEY } from '../../hosts/platform-simulator/data-provider/site.ts';
import type { FailureShape } from '../../hosts/platform-simulator/failure-shapes.ts';
import { readEnvironment, toConfig } from '../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../plugins/compose/config.ts';
import { closingAfterEach } from '../support/closing.ts';
import { startInstance } from '../support/instance.ts';

const closing = closingAfterEach();

type Sources = ('own' | 'provider')[];

async function started(
  sources: Sources,
  platform: 'instagram' | 'tiktok' = 'tiktok',
  provider: { readonly name?: 'hikerapi'; readonly dailyCredits?: number } = {},
) {
  const { api, world, close } = await startInstance({
    config: (simulator) => ({
      platforms: {
        pacing: 'off',
        instagram: { baseUrl: simulator.instagramBaseUrl, ...(platform === 'instagram' ? { sources } : {}) },
        tiktok: { baseUrl: simulator.tiktokBaseUrl, ...(platform === 'tiktok' ? { sources } : {}) },
        dataProvider: { key: SIMULATED_PROVIDER_KEY, baseUrl: simulator.dataProviderBaseUrl, ...provider },
      },
    }),
  });
  closing.push(close);
  const post = world.addPost({ platform, owner: 'maker.one', comments: 130 });
  const read = (path: string) => api.call('GET', `${path}?url=${encodeURIComponent(post.url)}`);
  const fail = (shape: FailureShape, via: 'own' | 'provider') => void world.failures.add({ platform, shape, via });
  const asked = () => Object.keys(world.requestCounts()).map((name) => (/ provider-/.test(name) ? 'provider' : 'own'));
  return { api, world, read, fail, asked: () => [...new Set(asked())].sort() };
}

describe('sources of a platform', () => {
  it('are our own reader by default: a data provider costs money', async () => {
    const { read, fail, asked } = await started(['own']);
    fail('server-error', 'own');
    expect((await read('/v1/stats')).status).toBe(502);
    expect(asked()).toEqual(['own']);
  });

  it('may be the data provider alone', async () => {
    const { read, api, asked } = await started(['provider'], 'instagram');
    expect((await read('/v1/stats')).json).toMatchObject({ owner: { handle: 'maker.one' }, source: 'data-provider' });
    expect((await api.call('GET', '/v1/profile?platform=instagram&handle=maker.one')).status).toBe(200);
    expect(asked()).toEqual(['provider']);
  });

  it('may be one after the other', async () => {
    const { read, fail, asked, world } = await started(['own', 'provider'], 'tiktok');
    expect((await read('/v1/stats')).json.source).not.toBe('data-provider');
    expect(asked()).toEqual(['own']);
    fail('login-redirect', 'own');
    expect((await read('/v1/stats')).json.source).toBe('data-provider');
    fail('provider-credits', 'provider');
    const both = await read('/v1/stats');
    expect(both.status).toBe(502);
    expect(both.json).toMatchObject({
      error: { code: 'PLATFORM_UNAVAILABLE', details: { source: 'own', also: [{ reason: 'provider-credits' }] } },
    });
    expect(both.text).not.toMatch(/127\.0\.0\.1|provider-key/);
    world.failures.clear();
  });
});

describe('a data provider with a limit a day', () => {
  it('is asked no more, says so, and is counted in the metrics', async () => {
    const { read, api } = await started(['provider'], 'instagram', { name: 'hikerapi', dailyCredits: 2 });
    expect((await read('/v1/stats')).status).toBe(200);
    expect((await read('/v1/stats')).status).toBe(200);
    const refused = await read('/v1/stats');
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({
      error: { code: 'SCRAPING_RATE_LIMITED', details: { reason: 'provider-budget' } },
    });
    const { text } = await api.call('GET', '/metrics');
    expect(text).toContain('credence_data_provider_credits_spent{platform="instagram"} 2');
    expect(text).toContain('credence_data_provider_credits_daily{platform="instagram"} 2');
  });

  it('tells what is left where its answers do', async () => {
    const { read, api } = await started(['own', 'provider'], 'instagram');
    expect((await read('/v1/stats')).status).toBe(200);
    expect((await api.call('GET', '/metrics')).text).not.toContain('credits_left{');
    const provider = await started(['provider'], 'instagram');
    expect((await provider.read('/v1/stats')).status).toBe(200);
    const { text } = await provider.api.call('GET', '/metrics');
    expect(text).toContain('credence_data_provider_credits_left{platform="instagram"} 4711');
  });
});

describe('configuration of the sources', () => {
  it.each([
    [{ TIKTOK_SOURCES: 'provider' }, 'platforms.dataProvider.key: must be set for the source provider'],
    [
      { TIKTOK_SOURCES: 'provider', DATA_PROVIDER: 'hikerapi', DATA_PROVIDER_KEY: 'k' },
      'platforms.tiktok.sources: hikerapi does not read this platform',
    ],
    [{ TIKTOK_SOURCES: 'own,own' }, 'TIKTOK_SOURCES: must name each source once'],
    [{ INSTAGRAM_SOURCES: ',' }, 'INSTAGRAM_SOURCES: must name at least one'],
    [{ INSTAGRAM_SOURCES: 'elsewhere' }, 'INSTAGRAM_SOURCES, 0: must be one of'],
    [{ DATA_PROVIDER_KEY: 'two words' }, 'DATA_PROVIDER_KEY: must be printable ASCII'],
    [{ REDIS_URL: 'http://redis.example' }, 'REDIS_URL: must start with redis://'],
    [{ REDIS_URL: 'elsewhere' }, 'REDIS_URL: must start with redis://'],
    [{ REDIS_URL: 'redis://:50%off@redis.example' }, 'REDIS_URL: must have each % of user and password written as %25'],
  ])('%j is refused at boot', (environment, message) => {
    expect(() => resolveConfig(toConfig(readEnvironment(environment)))).toThrow(message);
  });

  it('is refused without showing the secrets in it', () => {
    const secrets = { DATA_PROVIDER_KEY: 'very secret', REDIS_URL: 'redi://user:very-secret@redis.example' };
    let message = '';
    try {
      readEnvironment(secrets);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('REDIS_URL');
    expect(message).not.toMatch(/very.secret/);
  });
});
