import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformProfile } from '../../../core/ports/platform.ts';
import { collect } from '../../support/collect.ts';
import { createEngagementWorld, type EngagementWorld } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

const profile = (changes: Partial<PlatformProfile> = {}): PlatformProfile => ({
  platform: 'instagram',
  handle: 'ada',
  accountId: '1',
  secUid: null,
  displayName: 'Ada Lovelace',
  bio: null,
  profilePictureUrl: 'https://cdn.example/ada.jpg',
  isVerified: false,
  isPrivate: false,
  followerCount: 12,
  followingCount: null,
  mediaCount: 3,
  ...changes,
});
const register = (handle: string, externalId = 'ext-1') =>
  world.registerCreator({ externalId, platform: 'instagram', handle });

describe('registering', () => {
  it('lets one of a hundred parallel calls make the link and read the profile', async () => {
    world.posts.state.profile = async () => profile();
    const results = await Promise.all(Array.from({ length: 100 }, () => register('ada')));
    expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === 'existing')).toHaveLength(99);
    expect(new Set(results.map(({ account }) => account.id)).size).toBe(1);
    expect(world.posts.state.profileReads).toBe(1);
  });

  it('keeps what the platform shows of a new link, as far as it shows it', async () => {
    world.posts.state.profile = async () => profile();
    const { account } = await register('ada');
    const expected = {
      followers: 12,
      profile_pic_url: 'https://cdn.example/ada.jpg',
      full_name: 'Ada Lovelace',
      is_verified: false,
    };
    expect(account.profileData).toEqual(expected);
    expect(await collect(world.listCreators())).toMatchObject([
      { account: { profileData: expected }, creator: { avatarUrl: 'https://cdn.example/ada.jpg' } },
    ]);
  });

  it('neither fails nor waits when the platform does not answer, and asks it less then', async () => {
    world.posts.state.profile = () => new Promise(() => {});
    expect((await register('ada')).account.profileData).toEqual({});
    expect((await register('bob')).account.profileData).toEqual({});
    expect(world.posts.state.profileReads).toBe(1);
    world.pass(30_000);
    world.posts.state.profile = () => Promise.reject(new DomainError('PLATFORM_UNAVAILABLE', 'down'));
    expect((await register('cleo')).account.profileData).toEqual({});
    world.pass(30_000);
    world.posts.state.profile = () => Promise.reject(new DomainError('PROFILE_NOT_FOUND', 'no such'));
    expect((await register('dora')).account.profileData).toEqual({});
    world.posts.state.profile = async () => profile();
    expect((await register('eve')).account.profileData).toHaveProperty('followers', 12);
  });
});

describe('refreshing a profile', () => {
  it('keeps it when the profile cannot be read, and says why', async () => {
    world.posts.state.profile = async () => profile();
    const { creator } = await register('ada');
    world.posts.state.profile = () => Promise.reject(new DomainError('PROFILE_NOT_FOUND', 'gone'));
    await expect(world.refreshCreatorProfile({ userId: creator.id })).rejects.toMatchObject({
      code: 'PROFILE_NOT_FOUND',
    });
    expect((await collect(world.listCreators()))[0]?.account.profileData).toHaveProperty('followers', 12);
  });
});
