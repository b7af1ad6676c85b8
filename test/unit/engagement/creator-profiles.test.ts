import { beforeEach, describe, expect, it } from 'vitest';
import { profileDataOf } from '../../../core/engagement/creators/profile-data.ts';
import { refreshCreatorProfile } from '../../../core/engagement/creators/refresh-profile.ts';
import { registerCreator } from '../../../core/engagement/creators/register-creator.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { PlatformCallOptions, PlatformProfile } from '../../../core/ports/platform.ts';
import { T0 } from '../../support/engagement-samples.ts';
import { emptyProfile, platformsOf, showingProfiles } from '../../support/platforms.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { createTestClock } from '../../support/test-clock.ts';

const EMPTY = emptyProfile();

const storage = storageOfEachTest();
const { creators } = storage;
let answer: (handle: string, options?: PlatformCallOptions) => Promise<PlatformProfile | null>;
let asked: string[];
let logger: RecordingLogger;

beforeEach(() => {
  clock.set(T0);
  answer = async () => EMPTY;
  asked = [];
  logger = createRecordingLogger();
});

const clock = createTestClock(T0);
const instagram = showingProfiles('instagram', (handle, options) => {
  asked.push(handle);
  return answer(handle, options);
});
/** TikTok is not configured. */
const platforms = platformsOf(instagram);
const deps = () => ({ storage, platforms, clock, logger });
const registering = (profileWaitMs?: number) => {
  const register = registerCreator({ ...deps(), ...(profileWaitMs === undefined ? {} : { profileWaitMs }) });
  return (handle: string, platform: PlatformName = 'instagram') =>
    register({ externalId: 'ext-1', platform, handle }).then(({ account }) => account);
};
const refresh = (userId: number) => refreshCreatorProfile(deps())({ userId });
const avatar = async () => (await creators.find({ externalId: 'ext-1' }))?.avatarUrl;
const storedProfile = async (handle: string) => {
  const creator = await creators.find({ externalId: 'ext-1' });
  const accounts = await creators.accountsOf(creator?.id ?? 0);
  return accounts.find(({ platformUsername }) => platformUsername === handle)?.profileData;
};

describe('what is kept of a profile', () => {
  it.each<[string, Partial<PlatformProfile>, object]>([
    [
      'zeros, and a mark that is not there',
      { followerCount: 0, followingCount: 0, isVerified: false },
      { followers: 0, following: 0, is_verified: false },
    ],
    ['no empty texts', { displayName: '', bio: '', profilePictureUrl: '' }, {}],
    [
      'all facts',
      {
        followerCount: 12,
        followingCount: 3,
        profilePictureUrl: 'https://cdn.example/a.jpg',
        displayName: 'Ada',
        bio: 'Mathematician',
        isVerified: true,
        mediaCount: 9,
        isPrivate: false,
        createdAt: new Date('2020-02-02T00:00:00.000Z'),
      },
      {
        followers: 12,
        following: 3,
        profile_pic_url: 'https://cdn.example/a.jpg',
        full_name: 'Ada',
        biography: 'Mathematician',
        is_verified: true,
        posts: 9,
        is_private: false,
        created_at: '2020-02-02T00:00:00.000Z',
      },
    ],
  ])('is %s', (_what, shown, kept) => {
    expect(profileDataOf({ ...EMPTY, ...shown })).toStrictEqual(kept);
  });
});

describe('the look at the profile while registering', () => {
  it('is broken off in the end, and never when it came in time', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    answer = async (handle, options) => {
      signals.push(options?.signal);
      return handle === 'ada' ? EMPTY : new Promise(() => {});
    };
    const register = registering(20);
    await register('ada');
    await register('bob');
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
  });

  it('leaves the picture of another handle alone when it shows nothing', async () => {
    const register = registering();
    answer = async () => ({ ...EMPTY, profilePictureUrl: 'https://cdn.example/a.jpg' });
    await register('ada');
    answer = async () => EMPTY;
    await register('ada.second');
    expect(await avatar()).toBe('https://cdn.example/a.jpg');
    answer = async () => ({ ...EMPTY, followerCount: 1 });
    await register('ada.third');
    expect(await avatar()).toBeNull();
    expect(await storedProfile('ada.third')).toEqual({ followers: 1 });
  });

  it.each(['PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT', 'SCRAPING_RATE_LIMITED'] as const)(
    'is left out for half a minute after %s',
    async (code) => {
      const register = registering();
      const err = new DomainError(code, 'no');
      answer = () => Promise.reject(err);
      expect((await register('ada')).profileData).toEqual({});
      expect(logger.lines).toMatchObject([{ level: 'debug', fields: { platform: 'instagram', err } }]);
      answer = async () => ({ ...EMPTY, followerCount: 7 });
      clock.pass(29_999);
      expect((await register('bob')).profileData).toEqual({});
      clock.pass(1);
      expect((await register('cleo')).profileData).toEqual({ followers: 7 });
      expect(asked).toEqual(['ada', 'cleo']);
      expect(await storedProfile('bob')).toStrictEqual({});
    },
  );

  it.each(['PROFILE_NOT_FOUND', 'PROFILE_PRIVATE'] as const)('is made again at once after %s', async (code) => {
    const register = registering();
    answer = () => Promise.reject(new DomainError(code, 'no'));
    expect((await register('ada')).profileData).toEqual({});
    await register('bob');
    expect(asked).toEqual(['ada', 'bob']);
  });
});

describe('refreshing', () => {
  /** Links as they are stored, without a look at the platform; the last one is the newest. */
  async function linked(...handles: readonly string[]): Promise<number> {
    const link = { externalId: 'ext-1', email: 'a@example.com', displayName: null, profileData: {} } as const;
    for (const handle of handles) {
      await creators.link({ ...link, platform: 'instagram', handle, ownershipProven: false, now: clock.now() });
    }
    return (await creators.find({ externalId: 'ext-1' }))?.id ?? 0;
  }

  it('takes the later link for the newer one when they are of the same time', async () => {
    const userId = await linked('ada', 'bob', 'cleo');
    answer = async (handle) => ({ ...EMPTY, displayName: handle, profilePictureUrl: `https://cdn.example/${handle}` });
    const newest = { full_name: 'cleo', profile_pic_url: 'https://cdn.example/cleo' };
    expect((await refresh(userId)).profileData).toEqual(newest);
    expect(asked).toEqual(['bob', 'ada', 'cleo']);
    expect(await avatar()).toBe('https://cdn.example/cleo');
    expect(await storedProfile('ada')).toMatchObject({ full_name: 'ada' });
  });

  it('reads the ten newest handles', async () => {
    const handles = Array.from({ length: 12 }, (_, index) => `ada${index}`);
    const userId = await linked(...handles);
    expect((await refresh(userId)).failed).toEqual([]);
    expect([...asked].sort()).toEqual(handles.slice(2).sort());
  });

  it('does not ask for what cannot be a handle', async () => {
    const userId = await linked('ada-l');
    const message = '@ada-l cannot be a handle on Instagram.';
    await expect(refresh(userId)).rejects.toMatchObject({ code: 'PROFILE_NOT_FOUND', message });
    expect(asked).toEqual([]);
  });

  it('does not take the profile of another account that has the handle now', async () => {
    const link = { externalId: 'ext-1', email: 'a@example.com', displayName: null, platform: 'instagram' } as const;
    const proof = { ...link, handle: 'ada', ownershipProven: true, platformAccountId: '1', now: clock.now() };
    const { creator } = await creators.link({ ...proof, profileData: { followers: 1 } });
    answer = async () => ({ ...EMPTY, accountId: '2', followerCount: 9 });
    await expect(refresh(creator.id)).rejects.toMatchObject({
      code: 'PROFILE_NOT_FOUND',
      message: expect.stringContaining('belongs to another account now'),
    });
    expect(await storedProfile('ada')).toEqual({ followers: 1 });
    answer = async () => ({ ...EMPTY, followerCount: 9 });
    expect((await refresh(creator.id)).profileData).toEqual({ followers: 9 });
  });

  it('says when the link is gone in the end', async () => {
    const userId = await linked('ada');
    const gone = { ...creators, replaceProfile: async () => false };
    await expect(refreshCreatorProfile({ ...deps(), storage: { creators: gone } })({ userId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'The link was removed meanwhile.',
    });
  });
});
