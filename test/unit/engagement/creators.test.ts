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
  it('makes creator and link, and returns both unchanged the second time', async () => {
    const first = await world.registerCreator({
      externalId: 'ext-1',
      platform: 'instagram',
      handle: ' @Ada.L ',
      email: 'ada@example.com',
      displayName: 'Ada',
    });
    expect(first).toMatchObject({
      outcome: 'created',
      creator: { externalId: 'ext-1', email: 'ada@example.com', displayName: 'Ada' },
      account: { platformUsername: 'ada.l', profileData: {}, ownershipProven: false },
    });
    const again = await world.registerCreator({
      externalId: 'ext-1',
      platform: 'instagram',
      handle: 'ADA.L',
      email: 'other@example.com',
    });
    expect(again).toEqual({ ...first, outcome: 'existing' });
  });

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

  it('links several handles to one creator, and one handle to several creators', async () => {
    const first = await register('ada');
    const second = await register('ada.second');
    const other = await register('ada', 'ext-2');
    expect(second.creator.id).toBe(first.creator.id);
    expect(other.creator.id).not.toBe(first.creator.id);
    expect(await collect(world.listCreators())).toHaveLength(3);
  });
});

describe('disconnecting', () => {
  it('ends the link, once; posting it again connects it again', async () => {
    const { account } = await register('ada');
    const link = { externalId: 'ext-1', platform: 'instagram' as const, handle: '@ADA' };
    const ended = await world.disconnectCreator(link);
    expect(ended).toMatchObject({ id: account.id, disconnectedAt: world.now() });
    expect(await world.isHandleRegistered('ada')).toBe(false);
    await expect(world.disconnectCreator(link)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'No active Instagram link of this externalId has this handle.',
    });
    expect(await register('ada')).toMatchObject({
      outcome: 'reconnected',
      account: { id: account.id, disconnectedAt: null },
    });
    expect(await world.isHandleRegistered('@Ada')).toBe(true);
  });

  it('leaves the links of others alone', async () => {
    await register('ada');
    await register('ada', 'ext-2');
    await world.disconnectCreator({ externalId: 'ext-1', platform: 'instagram', handle: 'ada' });
    expect(await world.isHandleRegistered('ada')).toBe(true);
    await expect(
      world.disconnectCreator({ externalId: 'ext-2', platform: 'tiktok', handle: 'ada' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('rows tell what a creator has earned', async () => {
  const { challenge } = await world.campaign();
  const attempt = await world.attempt(challenge.id, 'ada');
  await world.creator('bob');
  await world.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
  await world.settle();
  expect(await collect(world.listCreators())).toMatchObject([
    { account: { platformUsername: 'ada' }, totalAttempts: 1, totalVerified: 1, totalRewarded: 1, totalPoints: 50 },
    { account: { platformUsername: 'bob' }, totalAttempts: 0, totalVerified: 0, totalRewarded: 0, totalPoints: 0 },
  ]);
});

describe('refreshing a profile', () => {
  it('replaces it wholesale', async () => {
    world.posts.state.profile = async () => profile();
    const { creator } = await register('ada');
    world.posts.state.profile = async () => profile({ followerCount: 99, displayName: null, profilePictureUrl: null });
    expect(await world.refreshCreatorProfile({ userId: creator.id })).toEqual({
      profileData: { followers: 99, is_verified: false },
      failed: [],
    });
    expect(await collect(world.listCreators())).toMatchObject([
      { account: { profileData: { followers: 99, is_verified: false } }, creator: { avatarUrl: null } },
    ]);
    expect((await collect(world.listCreators()))[0]?.account.profileData).not.toHaveProperty('full_name');
  });

  it('clears it when the profile is empty', async () => {
    world.posts.state.profile = async () => profile();
    const { creator } = await register('ada');
    world.posts.state.profile = async () => null;
    expect(await world.refreshCreatorProfile({ userId: creator.id })).toEqual({ profileData: {}, failed: [] });
    expect((await collect(world.listCreators()))[0]?.account.profileData).toEqual({});
  });

  it('keeps it when the profile cannot be read, and says why', async () => {
    world.posts.state.profile = async () => profile();
    const { creator } = await register('ada');
    world.posts.state.profile = () => Promise.reject(new DomainError('PROFILE_NOT_FOUND', 'gone'));
    await expect(world.refreshCreatorProfile({ userId: creator.id })).rejects.toMatchObject({
      code: 'PROFILE_NOT_FOUND',
    });
    expect((await collect(world.listCreators()))[0]?.account.profileData).toHaveProperty('followers', 12);
  });

  it('reads every handle, answers about the newest and names those that failed', async () => {
    const { creator } = await register('ada');
    world.pass(1000);
    await register('ada.wrecked');
    world.pass(1000);
    await register('ada.new');
    world.posts.state.profile = async (handle) => {
      if (handle === 'ada') throw new DomainError('PROFILE_PRIVATE', 'private');
      if (handle === 'ada.wrecked') throw new Error('a defect');
      return profile({ displayName: handle });
    };
    const refreshed = await world.refreshCreatorProfile({ userId: creator.id });
    expect(refreshed.profileData).toHaveProperty('full_name', 'ada.new');
    expect(refreshed.failed).toEqual([
      { platform: 'instagram', handle: 'ada.wrecked', code: 'INTERNAL_ERROR' },
      { platform: 'instagram', handle: 'ada', code: 'PROFILE_PRIVATE' },
    ]);
    const warned = world.logger.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ fields }) => fields)).toMatchObject([{ userId: creator.id }, { userId: creator.id }]);
  });

  it('needs a creator with a handle', async () => {
    await expect(world.refreshCreatorProfile({ userId: 77 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no creator 77.',
    });
    const { creator } = await register('ada');
    await world.disconnectCreator({ externalId: 'ext-1', platform: 'instagram', handle: 'ada' });
    await expect(world.refreshCreatorProfile({ userId: creator.id })).rejects.toMatchObject({
      code: 'HANDLE_NOT_LINKED',
      message: `Creator ${creator.id} has no active handle to read.`,
    });
  });
});
