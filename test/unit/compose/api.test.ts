/** Operations called in process: typed input and output, the schemas and codes of the routes, no HTTP. */
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';
import { OPERATIONS } from '../../../plugins/compose/api.ts';
import {
  type Caller,
  type Credence,
  createCredence,
  isDomainError,
  silentLogger,
} from '../../../plugins/compose/index.ts';
import { testConfig } from '../../support/instance.ts';

const world = createWorld('api');
const simulator = await createPlatformSimulator({ world });
const services = ['engagement', 'web-prover', 'zk-prover', 'notary'] as const;
const notary = { key: { secret: new Uint8Array(32).fill(7) } };
const config = { ...testConfig(simulator, 'sqlite::memory:'), services: [...services], notary };
const credence = createCredence(config, { logger: silentLogger });
await credence.start();
afterAll(async () => {
  await credence.stop();
  await simulator.close();
});

/** Rows that are about HTTP itself: pages, documents, probes, callbacks of strangers. */
const ONLY_OVER_HTTP = [
  'showConnectPage',
  'submitConnectPage',
  'connectScript',
  'liveness',
  'readiness',
  'openapi',
  'docs',
  'docsScript',
  'console',
  'consoleFile',
  'beginConsoleSession',
  'endConsoleSession',
  'metrics',
  'verifyV1',
  'verifyZkProof',
  'verifyZkProofFake',
];

it('has an operation for every row that is one, each under one name', () => {
  const ids = Object.values(OPERATIONS).flatMap((names) => Object.values(names) as string[]);
  const rows = credence.routes.map(({ id }) => id).filter((id) => !ONLY_OVER_HTTP.includes(id));
  expect(ids.toSorted()).toEqual(rows.toSorted());
  for (const [group, names] of Object.entries(OPERATIONS)) {
    for (const name of Object.keys(names)) {
      expect(credence[group as keyof typeof OPERATIONS][name as never], `${group}.${name}`).toBeTypeOf('function');
    }
  }
});

describe('what goes wrong', () => {
  it('is a DomainError with the code and the issues of the route', async () => {
    // @ts-expect-error the name is missing
    await expect(credence.brands.create({ slug: 'x' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Invalid request: name: is missing; it must be text',
      details: { issues: [{ path: 'name' }] },
    });
    await expect(credence.campaigns.get({ id: 999 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(credence.campaigns.get({ id: -1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(credence.campaigns.list({ limit: 1000 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it.each<[string, () => unknown]>([
    ['an invalid date', () => new Date(Number.NaN)],
    ['a list of objects without a prototype', () => [Object.create(null)]],
    ['a symbol', () => Symbol('x')],
    ['a bigint', () => 10n ** 30n],
    [
      'an object that throws when it is written',
      () => ({
        toString: () => {
          throw new RangeError('no text');
        },
      }),
    ],
    ['text that is not well-formed', () => '\ud800'],
  ])('is a DomainError for %s in any field of any operation', async (_what, make) => {
    const calls = Object.entries(OPERATIONS).flatMap(([group, names]) =>
      Object.entries(names).flatMap(([name, id]) => {
        const route = credence.routes.find((one) => one.id === id);
        const fields = [route?.params, route?.query, route?.body].flatMap((schema) =>
          schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
        );
        return fields.map((field) => ({ group, name, field }));
      }),
    );
    expect(calls.length).toBeGreaterThan(100);
    for (const { group, name, field } of calls) {
      const operation = credence[group as keyof typeof OPERATIONS][name as never] as (
        input: object,
      ) => Promise<unknown>;
      const outcome = await operation({ [field]: make() }).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(isDomainError(outcome), `${group}.${name} ${field}: ${outcome}`).toBe(true);
    }
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'UNAUTHORIZED'],
    ['text', 'admin', 'UNAUTHORIZED'],
    ['without a key', { role: 'admin', tokenId: null, externalId: null }, 'UNAUTHORIZED'],
    ['of an unknown role', { role: 'Admin', tokenId: null, externalId: null, key: 'k' }, 'UNAUTHORIZED'],
    ['that is a creator without an externalId', { role: 'creator', tokenId: null, key: 'k' }, 'UNAUTHORIZED'],
    ['of a brand that is no number', { role: 'brand', tokenId: null, key: 'k', brandId: '1' }, 'UNAUTHORIZED'],
    ['of a token that is no number', { role: 'client', tokenId: {}, externalId: null, key: 'k' }, 'UNAUTHORIZED'],
  ])('is a DomainError for a caller that is %s', async (_what, caller, code) => {
    await expect(credence.tokens.usage({}, { caller: caller as Caller })).rejects.toMatchObject({ code });
    await expect(credence.campaigns.list({}, { caller: caller as Caller })).rejects.toMatchObject({ code });
    if (caller === null) return;
    const proof = { presentation: {} } as never;
    await expect(credence.connections.acceptProof(proof, { caller: caller as Caller })).rejects.toMatchObject({ code });
  });

  it('is a DomainError for options that are none, so that no caller is forgotten', async () => {
    const caller: Caller = { role: 'client', tokenId: null, externalId: null, key: 'k' };
    for (const options of [null, 'admin', caller, { calller: caller }]) {
      const called = credence.brands.list({}, options as never);
      await expect(called, JSON.stringify(options)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
  });

  it('is NOT_SUPPORTED for a service that is off', async () => {
    const bare = createCredence({ storage: { url: 'sqlite::memory:' }, services: ['web-prover'] });
    await expect(bare.brands.list()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });
});

it('returns what a route documents, and nothing else of an entity', async () => {
  const { token, ...made } = await credence.tokens.create({ name: 'App', role: 'client' });
  expect(token).toMatch(/^\S{20,}$/);
  expect(await credence.tokens.list()).toContainEqual(made);
  expect(JSON.stringify(await credence.tokens.list())).not.toContain('hash');
});

it('knows the fields of every operation', () => {
  expectTypeOf<Parameters<Credence['proofs']['compress']>[0]['presentation']['data']>().toEqualTypeOf<string>();
  expectTypeOf<Parameters<Credence['connections']['start']>[0]['platform']>().toEqualTypeOf<string>();
  expectTypeOf<Awaited<ReturnType<Credence['proofs']['guestId']>>['guestId']>().toEqualTypeOf<string>();
  expectTypeOf<keyof Parameters<Credence['attempts']['get']>[0]>().toEqualTypeOf<'challengeId' | 'attemptId'>();
});
