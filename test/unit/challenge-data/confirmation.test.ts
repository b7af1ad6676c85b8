import { beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import { createPlatformChain } from '../../../core/platforms/platform-chain.ts';
import { platformsOf } from '../../support/platforms.ts';
import { comment, platform, ScriptedPlatform, sweepInEachTest, world } from './support.ts';

let own: ScriptedPlatform;
let provider: ScriptedPlatform;

sweepInEachTest();
beforeEach(() => {
  own = platform;
  provider = new ScriptedPlatform();
  for (const platform of [own, provider]) {
    platform.pages = [[comment('a'), comment('b')], [comment('c')]];
    platform.expectedTotal = 551;
  }
});

/** A sweep for a verdict; `freshSince` is what verifications ask with. */
const sweep = (options = { freshSince: new Date(0) } as { freshSince?: Date }) => {
  const chain = createPlatformChain([
    { name: 'own', platform: own },
    { name: 'provider', platform: provider },
  ]);
  return world.sweeper({ platforms: platformsOf(chain) }).sweep(world.challenge.id, options);
};
const isConfirmed = async () => (await world.storage.comments.sweep(world.challenge.id))?.confirmed;

describe('a reading that lacks too much for a verdict', () => {
  it('is confirmed by another way that shows the same', async () => {
    expect(await sweep()).toMatchObject({ totalFetched: 3, sweepStatus: 'swept', expectedTotal: 551, warning: null });
    expect(await isConfirmed()).toBe(true);
    expect(provider.asked).toEqual(['comments -', 'comments c1']);
  });

  it('is read again by the first way if the second one has answered for it', async () => {
    own.before = (request) => {
      if (own.asked.length === 1) throw new DomainError('PLATFORM_UNAVAILABLE', request);
    };
    expect(await sweep()).toMatchObject({ totalFetched: 3, warning: null });
    expect(await isConfirmed()).toBe(true);
  });

  it.each<[string, () => void]>([
    ['more', () => provider.pages.push([comment('d')])],
    ['others', () => provider.pages.splice(1, 1, [comment('d')])],
    [
      'a comment that cannot be read',
      () => {
        const { getComments } = provider;
        provider.getComments = async (...given) => ({ ...(await getComments.apply(provider, given)), skipped: 1 });
      },
    ],
    [
      'nothing',
      () => {
        provider.refuse(new DomainError('SCRAPING_RATE_LIMITED', 'slow down'));
      },
    ],
  ])('is not confirmed by another way that shows %s', async (_what, change) => {
    change();
    const warning = 'The comments may not be all there are: only 3 of 551 comments could be read.';
    expect(await sweep()).toMatchObject({ totalFetched: 3, sweepStatus: 'swept', historyComplete: true, warning });
    expect(await isConfirmed()).toBe(false);
  });

  it('is not confirmed by two empty lists', async () => {
    own.pages = [];
    provider.pages = [];
    expect(await sweep()).toMatchObject({ totalFetched: 0, expectedTotal: 551, warning: expect.any(String) });
    expect(await isConfirmed()).toBe(false);
  });

  it('stores what only the other way shows', async () => {
    provider.pages.push([comment('d')]);
    await sweep();
    expect(await world.storedIds()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps no place of the other way to continue from', async () => {
    provider.refuse(new DomainError('PLATFORM_TIMEOUT', 'slow'), /comments c1/);
    await sweep();
    expect(await world.storage.comments.sweep(world.challenge.id)).toMatchObject({ status: 'swept', cursor: null });
  });

  it('is left alone if nobody waits for a verdict', async () => {
    await sweep({});
    expect(provider.asked).toEqual([]);
  });

  it('of a platform with one way is left alone', async () => {
    const { warning } = await world.sweeper().sweep(world.challenge.id, { freshSince: new Date(0) });
    expect(warning).toContain('only 3 of 551');
    expect(own.asked).toEqual(['comments -', 'comments c1']);
  });
});

it('a reading that proves enough costs no second one', async () => {
  own.expectedTotal = undefined;
  await sweep();
  expect(provider.asked).toEqual([]);
  expect(await isConfirmed()).toBe(false);
});
