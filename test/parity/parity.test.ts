/**
 * One play of the whole API, on every host and every storage: each exchange is held against the route table, and the
 * transcripts have to be equal. A row of the table without an exchange fails here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST_KINDS } from '../support/hosts.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { mongoServer } from '../support/mongo.ts';
import { accounts } from './areas/accounts.ts';
import { attempts, batchRewards } from './areas/attempts.ts';
import { brands } from './areas/brands.ts';
import { campaigns } from './areas/campaigns.ts';
import { challengeData } from './areas/challenge-data.ts';
import { creators } from './areas/creators.ts';
import { limits, lookups } from './areas/lookups.ts';
import { protocol } from './areas/protocol.ts';
import { races } from './areas/races.ts';
import { service, stopped } from './areas/service.ts';
import { access, tokens } from './areas/tokens.ts';
import { webProofCallback, webProofs } from './areas/web-proofs.ts';
import { webhooks } from './areas/webhooks.ts';
import { createProofWorld } from './proof-world.ts';
import { documentedStatuses, type Recorded, type Stage, setStage } from './stage.ts';
import { createParityWorld, type ParityWorld } from './world.ts';

/** In this order: ids count on from one area to the next. */
const AREAS: readonly (readonly [string, (stage: Stage, world: ParityWorld) => Promise<void>])[] = [
  ['creators', creators],
  ['connected accounts', accounts],
  ['brands', brands],
  ['webhooks', webhooks],
  ['campaigns', campaigns],
  ['attempts', attempts],
  ['verify and reward', batchRewards],
  ['challenge data', challengeData],
  ['lookups', lookups],
  ['limits', limits],
  ['web proofs', webProofs],
  ['web proof callback', webProofCallback],
  ['tokens', tokens],
  ['access', access],
  ['service', service],
  ['protocol edges', protocol],
  ['races', races],
  ['a stopped instance', stopped],
];

const mongo = await mongoServer();
const COMBINATIONS = [
  ...HOST_KINDS.map((host) => ({ host, storage: 'sqlite', storageUrl: undefined })),
  ...HOST_KINDS.flatMap((host) =>
    mongo.available ? [{ host, storage: 'mongodb', storageUrl: mongo.url(`parity_${host}`) }] : [],
  ),
];

const proofs = await createProofWorld();
afterAll(() => proofs.close());

const transcripts = new Map<string, ReadonlyMap<string, readonly Recorded[]>>();

describe.each(COMBINATIONS)('$host on $storage', ({ host, storage, storageUrl }) => {
  const world = createParityWorld(proofs);
  const byArea = new Map<string, readonly Recorded[]>();
  let instance: TestInstance;
  let stage: Stage;

  beforeAll(async () => {
    instance = await startInstance({ host, storageUrl, world: world.world, config: proofs.config });
    stage = await setStage(instance);
    transcripts.set(`${host} on ${storage}`, byArea);
  });
  afterAll(() => instance?.close());

  it.each(AREAS)('%s', async (name, play) => {
    const start = stage.transcript.length;
    await play(stage, world);
    byArea.set(name, stage.transcript.slice(start));
  });

  it('has an exchange that succeeds and one that is refused for every row of the table', () => {
    const rowsWith = (from: number, to: number) =>
      instance.credence.routes
        .filter((route) => [...documentedStatuses(route).keys()].some((status) => status >= from && status < to))
        .map(({ id }) => id);
    expect(rowsWith(200, 400).filter((id) => !stage.succeeded.has(id))).toEqual([]);
    expect(rowsWith(400, 500).filter((id) => !stage.refused.has(id))).toEqual([]);
  });
});

describe('the same everywhere', () => {
  it.each(AREAS)('%s', (name) => {
    const [first, ...others] = [...transcripts].map(([combination, byArea]) => ({
      combination,
      area: byArea.get(name),
    }));
    expect(first?.area?.length).toBeGreaterThan(0);
    for (const { combination, area } of others)
      expect(area, `${combination} against ${first?.combination}`).toEqual(first?.area);
  });
});
