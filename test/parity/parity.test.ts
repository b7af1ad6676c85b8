/**
 * Every mount plays the API once, each on another storage. Each exchange is compared
 * with the route table, and the transcripts have to be equal. A row of the table without an exchange on each mount fails here.
 * So does a code of its refusals without an exchange on each storage.
 */
import { credenceConsole } from '@credence/console';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodesOf } from '../../plugins/http/openapi.ts';
import { createFakeOfficial, withOfficial } from '../support/fake-official.ts';
import type { MountKind } from '../support/hosts.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { availableKinds, createTestStorage, type TestStorage } from '../support/storage.ts';
import { accounts } from './areas/accounts.ts';
import { attempts, batchRewards } from './areas/attempts.ts';
import { brandConnections, pushes } from './areas/brand-connections.ts';
import { brands } from './areas/brands.ts';
import { campaigns } from './areas/campaigns.ts';
import { challengeData } from './areas/challenge-data.ts';
import { creators } from './areas/creators.ts';
import { idempotency } from './areas/idempotency.ts';
import { limits, lookups } from './areas/lookups.ts';
import { protocol } from './areas/protocol.ts';
import { races } from './areas/races.ts';
import { platformRefusals, schemas, stateRefusals } from './areas/refusals.ts';
import { service, stopped } from './areas/service.ts';
import { access, tokens } from './areas/tokens.ts';
import { webProofCallback, webProofs } from './areas/web-proofs.ts';
import { webhooks } from './areas/webhooks.ts';
import { createProofWorld } from './proof-world.ts';
import { documentedStatuses, type Recorded, type Stage, setStage } from './stage.ts';
import { createParityWorld, type ParityWorld } from './world.ts';

type Area = readonly [name: string, play: (stage: Stage, world: ParityWorld) => Promise<void>];

/** In this order: ids count on from one area to the next. */
const FOR_EVERY_MOUNT: readonly Area[] = [
  ['creators', creators],
  ['connected accounts', accounts],
  ['brands', brands],
  ['webhooks', webhooks],
  ['connections of brands', brandConnections],
  ['pushes', pushes],
  ['campaigns', campaigns],
  ['attempts', attempts],
  ['verify and reward', batchRewards],
  ['challenge data', challengeData],
  ['web proofs', webProofs],
  ['web proof callback', webProofCallback],
  ['tokens', tokens],
  ['access', access],
  ['service', service],
  ['protocol edges', protocol],
  ['schemas', schemas],
  ['lookups', lookups],
];

/** What comes of the use cases and the storage alone, and passes a mount as the areas above do. */
const FOR_EVERY_STORAGE: readonly Area[] = [
  // It continues with what the lookups have left of their limits.
  ['limits', limits],
  ['refusals of platforms', platformRefusals],
  ['refusals of a state', stateRefusals],
  ['repeated requests', idempotency],
  ['races', races],
];

const LAST: Area = ['a stopped instance', stopped];

const AREAS: readonly Area[] = [...FOR_EVERY_MOUNT, ...FOR_EVERY_STORAGE, LAST];

/** Refusals that the document tells of and this play leaves out, with what prevents them. */
const NOT_PLAYED: readonly (readonly [row: RegExp, because: string])[] = [
  [/ INTERNAL(?:_SERVER)?_ERROR$/, 'a defect, which no request makes; or a proof that fails, which `verify` shows'],
  [/ (?:PLATFORM|NAME_LOOKUP)_TIMEOUT$/, 'a deadline of many seconds would have to pass'],
  [
    /^(?:forceVerify|progressAttempt) CONFLICT$/,
    'others would have to change the attempt between every read and write',
  ],
  [/^(?:read|refresh|create)[A-Z]\w* NOT_SUPPORTED$/, 'takes an instance that has a platform not'],
  [/^(?:list|retry)Jobs NOT_SUPPORTED$/, 'takes a queue that cannot list its jobs'],
  [/^webProofCallback NOT_SUPPORTED$/, 'takes an instance without the secret'],
  [/^attestQueries NOT_IMPLEMENTED$/, 'takes a notary that does not attest'],
  [/ IDEMPOTENCY_KEY_IN_USE$/, 'takes two requests that meet, which `answer-once.test.ts` has'],
  [/^(?!createBrand )\w+ IDEMPOTENCY_KEY_REUSED$/, 'is one step for all rows, played with one of them'],
  [/^(?!listCampaigns )\w+ QUOTA_EXCEEDED$/, 'is one step for all rows, played with one of them'],
  [/^readGuestId PROOF_GENERATION_FAILED$/, 'takes an instance whose circuit is missing'],
];

const kinds = await availableKinds();
// A mount sees the storage through ports only: each storage with each mount would show no more.
const COMBINATIONS = (
  [
    ['fastify', 'sqlite'],
    ['express', 'postgres'],
    ['fetch', 'mongodb'],
  ] as const satisfies readonly (readonly [MountKind, string])[]
).map(([host, wanted]) =>
  kinds.includes(wanted)
    ? { host, storage: wanted, kind: wanted }
    : { host, storage: `sqlite (${wanted} SKIPPED: no server)`, kind: 'sqlite' as const },
);

const proofs = await createProofWorld();
afterAll(() => proofs.close());

const transcripts = new Map<string, ReadonlyMap<string, readonly Recorded[]>>();

describe.for(COMBINATIONS)('$host on $storage', ({ host, storage, kind }) => {
  const world = createParityWorld(proofs);
  const byArea = new Map<string, readonly Recorded[]>();
  let database: TestStorage;
  let instance: TestInstance;
  let stage: Stage;

  beforeAll(async () => {
    database = await createTestStorage(kind);
    const config = { ...proofs.config, plugins: [credenceConsole()] };
    const options = { modules: [withOfficial(createFakeOfficial())] };
    instance = await startInstance({ host, storageUrl: database.url, world: world.world, config, options });
    stage = await setStage(instance);
    transcripts.set(`${host} on ${storage}`, byArea);
  });
  afterAll(async () => {
    await instance?.close();
    await database?.close();
  });

  it.each(AREAS)('%s', async (name, play) => {
    const start = stage.transcript.length;
    await play(stage, world);
    byArea.set(name, stage.transcript.slice(start));
  });

  it('has an exchange that succeeds for every row of the table', () => {
    const { routes } = instance.credence;
    const answering = routes.filter((route) => [...documentedStatuses(route).keys()].some((status) => status < 400));
    expect(answering.map(({ id }) => id).filter((id) => !stage.succeeded.has(id))).toEqual([]);
  });

  it('has an exchange for every code that a row may be refused with', () => {
    const { routes } = instance.credence;
    const documented = routes.flatMap((route) => errorCodesOf(route).map((code) => `${route.id} ${code}`));
    const missing = documented.filter((one) => !stage.refused.has(one));
    expect(missing.filter((one) => !NOT_PLAYED.some(([pattern]) => pattern.test(one)))).toEqual([]);
    // An exception that is none any more goes.
    expect(NOT_PLAYED.filter(([pattern]) => !missing.some((one) => pattern.test(one)))).toEqual([]);
  });
});

describe('the same everywhere', () => {
  it.each(AREAS)('%s', (name) => {
    const played = [...transcripts].filter(([, byArea]) => byArea.has(name));
    const [first, ...others] = played.map(([combination, byArea]) => ({ combination, area: byArea.get(name) }));
    expect(first?.area?.length).toBeGreaterThan(0);
    expect(others.length).toBe(2);
    for (const { combination, area } of others)
      expect(area, `${combination} against ${first?.combination}`).toEqual(first?.area);
  });
});
