/** The official API as the first source of a platform, by configuration. */
import { describe, expect, it } from 'vitest';
import { postRefOf } from '../../../core/platforms/descriptor.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { SIMULATED_APP } from '../../../hosts/platform-simulator/official/apps.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { memoryAccounts, OFFICIAL_PLATFORMS } from '../../support/official.ts';
import { type SpecifiedPlatform, unread } from '../../support/platforms.ts';

const BRAND = 7;
const call = { brandId: BRAND };
const closing = closingAfterEach();

async function open(platform: SpecifiedPlatform, sources?: ('official' | 'own')[]) {
  const simulator = await createPlatformSimulator();
  closing.push(() => simulator.close());
  const { world, instagramBaseUrl, tiktokBaseUrl } = simulator;
  const baseUrl = { instagram: instagramBaseUrl, tiktok: tiktokBaseUrl }[platform];
  const { verifyToken, ...app } = SIMULATED_APP;
  const official = { ...app, ...(platform === 'instagram' ? { verifyToken } : {}), baseUrl };
  const { platformAdapters } = resolveConfig({
    platforms: { pacing: 'off', [platform]: { baseUrl, official, ...(sources === undefined ? {} : { sources }) } },
  });
  const adapter = platformAdapters.find(({ descriptor }) => descriptor.name === platform);
  if (adapter === undefined) throw new Error('The platform is not registered.');
  const officialAccounts = memoryAccounts();
  const connected = world.official.connect(platform, 'maker.one');
  const account = { connectionId: 1, brandId: BRAND, handle: 'maker.one', ...connected };
  officialAccounts.connected.set(BRAND, [account]);
  const refused = officialAccounts.refused;
  officialAccounts.refused = async (given, why) => {
    officialAccounts.connected.delete(given.brandId);
    await refused(given, why);
  };
  const lent = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const reader = adapter.create({ ...lent, officialAccounts });
  closing.push(() => reader.close());
  const { contentId } = world.addPost({ platform, owner: 'maker.one', comments: 120 });
  return { world, adapter, reader, officialAccounts, ref: postRefOf(adapter.descriptor, contentId), lent };
}

describe.each(OFFICIAL_PLATFORMS)('with an official API of %s', (platform) => {
  it('reads the posts of a brand by it, all others as before', async () => {
    const { adapter, reader, ref, world } = await open(platform);
    expect(adapter.official?.platform).toBe(platform);
    expect((await reader.getComments(ref, null, call)).source).toMatch(/^official\//);
    expect((await reader.getPost(ref, call)).source).toMatch(/graph|business/);
    expect((await reader.getComments(ref, null)).source).toMatch(/^own\//);
    expect((await reader.getComments(ref, null, { brandId: 8 })).source).toMatch(/^own\//);
    const { contentId } = world.addPost({ platform, owner: 'somebody.else', comments: 2 });
    expect((await reader.getComments(postRefOf(adapter.descriptor, contentId), null, call)).source).toMatch(/^own\//);
  });

  it('falls back when the access ends in the middle, and begins the list again', async () => {
    const { reader, ref, world, officialAccounts } = await open(platform);
    const first = await reader.getComments(ref, null, call);
    world.official.setTokens(platform, undefined, 'revoked');
    await expect(reader.getComments(ref, first.nextCursor, call)).rejects.toMatchObject(unread('token-revoked'));
    expect(officialAccounts.refusals).toMatchObject([{ why: 'revoked' }]);
    await expect(reader.getComments(ref, first.nextCursor, call)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await reader.getComments(ref, null, call)).source).toMatch(/^own\//);
  });

  it('asks it last if it is named last', async () => {
    const { reader, ref } = await open(platform, ['own', 'official']);
    expect((await reader.getComments(ref, null, call)).source).toMatch(/^own\//);
  });

  it('needs the accounts of an instance', async () => {
    const { adapter, lent } = await open(platform);
    expect(() => adapter.create(lent)).toThrow('needs the accounts of an instance');
  });
});

it('takes the secret of the app from a variable, and the rest from the file', () => {
  const config = toConfig(readEnvironment({ TIKTOK_APP_SECRET: 'secret', DATA_DIR: '/tmp' }));
  expect(config.platforms).toMatchObject({ tiktok: { official: { appSecret: 'secret' } } });
  expect(() => resolveConfig(config)).toThrow('platforms.tiktok.official.appId');
  expect(() => readEnvironment({ INSTAGRAM_APP_SECRET: 'with blanks' })).toThrow('INSTAGRAM_APP_SECRET');
});
