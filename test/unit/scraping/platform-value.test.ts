/** Platforms as values for `createCredence`: what the options say reaches the reader that an instance makes of them. */
import { describe, expect, it } from 'vitest';
import { instagram, instagramDescriptor } from '../../../adapters/instagram/index.ts';
import { tiktok, tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import { youtube, youtubeDescriptor } from '../../../adapters/youtube/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { bytes, scriptedTransport } from './scripted-transport.ts';

const apiKey = `AIza${'x'.repeat(35)}`;

describe.each([
  ['instagram', instagram, instagramDescriptor],
  ['tiktok', tiktok, tiktokDescriptor],
  ['youtube', (options: object) => youtube({ apiKey, ...options }), youtubeDescriptor],
] as const)('%s as a value', (_name, value, descriptor) => {
  it('is that platform, with many lookups at a time if the pace bounds them', () => {
    expect(value({})).toMatchObject({ descriptor, maxConcurrentLookups: 100 });
    expect(value({ pacing: 'off' })).not.toHaveProperty('maxConcurrentLookups');
  });

  it('makes readers that ask where the options say', async () => {
    const transport = scriptedTransport(() => ({ status: 404, body: bytes('{}') }));
    const reader = value({ pacing: 'off', baseUrl: 'http://127.0.0.1:9', transport }).create({
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    });
    expect(reader.name).toBe(descriptor.name);
    await reader.getProfile('natgeo').catch(() => null);
    await reader.close();
    expect(new Set(transport.requests.map(({ url }) => new URL(url).origin))).toEqual(new Set(['http://127.0.0.1:9']));
  });
});
