/** Every read of a platform that somebody causes says for whom it is, so that callers share its rate fairly. */

import { afterAll, beforeEach, expect, it } from 'vitest';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';
import { ContainerModule } from '../../../plugins/compose/container.ts';
import { type Caller, createCredence, silentLogger, TOKENS } from '../../../plugins/compose/index.ts';
import { testConfig } from '../../support/instance.ts';

const world = createWorld('callers');
const ann: Caller = { role: 'admin', tokenId: 7, externalId: null, key: 'token:7' };
const reads: { readonly method: string; readonly caller: string | undefined }[] = [];

/** Notes who each call is for: the options are the last argument. */
function noting<T extends object>(platform: T): T {
  return new Proxy(platform, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close' || name === 'sessionStates') return value;
      return (...args: readonly unknown[]) => {
        const options = args.findLast((each) => typeof each === 'object' && each !== null && 'signal' in each);
        reads.push({ method: String(name), caller: (options as { caller?: string } | undefined)?.caller });
        return Reflect.apply(value, target, args);
      };
    },
  });
}

const simulator = await createPlatformSimulator({ world });
const modules = [
  new ContainerModule(({ onActivation }) => {
    onActivation(TOKENS.platforms, (_context, platforms) => {
      const readers = new Map([...platforms.readers].map(([name, platform]) => [name, noting(platform)]));
      return { ...platforms, readers };
    });
  }),
];
const credence = createCredence(testConfig(simulator, 'sqlite::memory:'), { logger: silentLogger, modules });
await credence.start();
const post = world.addPost({ platform: 'instagram', owner: 'acme', comments: 3 });
const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
const { challenge } = await credence.campaigns.create({
  brandId: brand.id,
  title: 'Spring',
  pointsReward: 1,
  challenge: { targetUrl: post.url },
});
const challengeId = challenge.id;
afterAll(async () => {
  await credence.stop();
  await simulator.close();
});
beforeEach(() => {
  reads.length = 0;
});

it.each<[string, string, string, () => Promise<unknown>]>([
  [
    'a refresh of comments',
    'getComments',
    'token:7',
    () => credence.challenges.refreshComments({ challengeId }, { caller: ann }),
  ],
  ['metrics again', 'getPost', 'token:7', () => credence.challenges.refreshMetrics({ challengeId }, { caller: ann })],
  ['a refresh of likers', 'getLikers', 'brand:1', () => credence.challenges.refreshLikers({ challengeId })],
  [
    'a registration',
    'getProfile',
    'token:7',
    () => credence.creators.register({ externalId: 'u', platform: 'tiktok', handle: 'ada' }, { caller: ann }),
  ],
])('%s', async (_name, method, caller, cause) => {
  await cause().catch(() => undefined);
  await expect.poll(() => reads).toContainEqual({ method, caller });
  expect(reads.filter((read) => read.caller === undefined)).toEqual([]);
});
