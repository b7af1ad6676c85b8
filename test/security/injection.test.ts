/**
 * Text is text. What a query language would take for an operator is refused over HTTP, never reaches a filter at the storage
 * adapters. As an honest value it finds nothing but itself.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSignature } from '../../core/engagement/webhooks/signature.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { eachStorage, openTestStorage, type TestStorage } from '../support/storage.ts';
import { exampleOf, leavesOf, placesIn, withAt } from './places.ts';
import { type Call, callsOn, contentOf, type StorageCalls, storeVictims, type Victims } from './storage-attacks.ts';
import { CALLBACK_SECRET, everyService, pathOf } from './support.ts';

/** `JSON.parse`, since some of these keys mean something in an object literal. */
const OPERATORS: readonly unknown[] = JSON.parse(`[
  {"$gt":""}, {"$ne":null}, {"$regex":".*"}, {"$where":"return true"}, {"$in":["",null]}, {"$exists":true},
  {"$not":{"$eq":"x"}}, {"a.b":1}, {"__proto__":{"$gt":""}}, {"toString":"x"},
  {"_bsontype":"ObjectId","id":"aaaaaaaaaaaa"}, {"length":24}, [], [null], [{"$gt":""}], true
]`);

/** Honest values that look like code. */
const CODE_LIKE = [
  '{"$gt":""}',
  '$where',
  '$ne',
  'a.b',
  '.*',
  "' OR '1'='1",
  '"; DROP TABLE creators; --',
  "1'); DELETE FROM tokens; --",
  '%',
  '_',
  '*',
  'x" OR ""="',
  '__proto__',
  'constructor',
];

/** What belongs there: an empty list, true, or an object, whose unknown keys are dropped. */
function isHonest(operator: unknown, types: readonly string[]): boolean {
  if (Array.isArray(operator)) return operator.length === 0 && types.includes('array');
  return types.includes(operator === true ? 'boolean' : 'object');
}

await eachStorage((kind) => {
  describe('over HTTP', () => {
    let database: TestStorage;
    let instance: TestInstance;
    beforeAll(async () => {
      database = await openTestStorage(kind);
      instance = await startInstance({ storageUrl: database.url, config: everyService() });
      const { status } = await register('victim', 'victim.handle');
      expect(status).toBe(201);
    });
    afterAll(async () => {
      await instance.close();
      await database.close();
    });
    const register = (externalId: string, handle: string) =>
      instance.api.call('POST', '/social-accounts', { body: { externalId, platform: 'instagram', handle } });

    // Refused before a storage is asked: one of them shows it.
    if (kind === 'sqlite') {
      it('an operator in any one field of any row is refused, whatever is in the others', async () => {
        const accepted: string[] = [];
        let turn = 0;
        for (const route of instance.credence.routes) {
          if (route.body === undefined) continue;
          const example = exampleOf(route);
          expect(route.body.safeParse(example).success, `the example of ${route.id}`).toBe(true);
          for (const { place, types } of placesIn(route.body, example)) {
            const operators = OPERATORS.filter((one) => !isHonest(one, types));
            for (const operator of operators) {
              if (route.body.safeParse(withAt(example, place, operator)).success) {
                accepted.push(`${route.id} ${place.join('.')} ${JSON.stringify(operator)}`);
              }
            }
            turn += 1;
            // One of them at every second place as a request, too: thousands would take their time.
            if (turn % 2 === 0) continue;
            const raw = JSON.stringify(withAt(example, place, operators[turn % operators.length]));
            const headers = { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
            const { status, text } = await instance.api.call(route.method, pathOf(route), { raw, headers });
            const isRefused = [400, 422].includes(status) && text.includes('Invalid request: body');
            if (!isRefused) accepted.push(`${route.id} ${raw} ${status} ${text}`);
          }
        }
        expect(accepted).toEqual([]);
        expect(turn).toBeGreaterThan(200);
      });
    }

    it('an operator in a path or a query is a value like any other', async () => {
      const { api } = instance;
      for (const value of CODE_LIKE) {
        const encoded = encodeURIComponent(value);
        const known = await api.call('GET', `/admin/creators/verify/${encoded}`);
        if (known.status === 200) expect(known.json.data, value).toEqual({ verified: false });
        else expect(known.status, value).toBe(400);
        const accounts = await api.call('GET', `/social-accounts?externalId=${encoded}`);
        expect(accounts.json.data ?? [], value).toEqual([]);
        expect((await api.call('GET', `/campaigns/${encoded}`)).status, value).toBe(400);
        expect((await api.call('GET', `/admin/campaigns/1/results?state=${encoded}`)).status, value).toBe(400);
        expect((await api.call('GET', `/connect/${encoded}`)).status, value).toBe(404);
      }
      for (const query of [
        'externalId[$gt]=',
        'externalId.$gt=',
        'externalId[]=victim',
        '$where=1',
        '__proto__=victim',
      ]) {
        const { status, text } = await api.call('GET', `/social-accounts?${query}`);
        expect([status, text.includes('victim.handle')], query).toEqual([400, false]);
      }
    });

    it('a value that looks like code is kept as it is and finds itself only', async () => {
      const { api } = instance;
      for (const [index, externalId] of CODE_LIKE.entries()) {
        expect((await register(externalId, `handle.${index}`)).status, externalId).toBe(201);
      }
      for (const [index, externalId] of CODE_LIKE.entries()) {
        const { json } = await api.call('GET', `/social-accounts?externalId=${encodeURIComponent(externalId)}`);
        expect(json.data, externalId).toMatchObject([{ platformUsername: `handle.${index}` }]);
        const body = { externalId, platform: 'instagram', handle: 'victim.handle' };
        expect((await api.call('POST', '/social-accounts/disconnect', { body })).status, externalId).toBe(404);
      }
      const victim = await api.call('GET', '/social-accounts?externalId=victim');
      expect(victim.json.data).toMatchObject([{ platformUsername: 'victim.handle', disconnectedAt: null }]);
    });

    it('a token that looks like code is unknown', async () => {
      for (const token of ['{"$gt":""}', '$ne', '.*', "'OR'1'='1", '__proto__', '[object']) {
        expect((await instance.api.call('GET', '/admin/brands', { token })).status, token).toBe(401);
      }
    });
  });

  describe('at the adapter', () => {
    let database: TestStorage & { readonly storage: Storage };
    let victims: Victims;
    beforeAll(async () => {
      database = await openTestStorage(kind);
      victims = await storeVictims(database.storage);
    });
    afterAll(() => database.close());

    const calls = (): readonly NamedCall[] =>
      Object.entries(callsOn(victims)).flatMap(([store, methods]) =>
        Object.entries(methods as Readonly<Record<string, Call<readonly unknown[]> | null>>).flatMap(
          ([method, call]) => (call === null ? [] : [{ store: store as keyof StorageCalls, method, call }]),
        ),
      );
    const perform = ({ store, method }: NamedCall, given: readonly unknown[]): Promise<unknown> => {
      const methods = database.storage[store] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;
      return Promise.resolve(methods[method]?.(...given));
    };

    it('an operator in any place by which any method looks up finds nothing, and changes nothing', async () => {
      const found: string[] = [];
      let turn = 0;
      const before = await contentOf(database.storage, victims);
      for (const named of calls()) {
        const places = leavesOf(named.call.with).filter((place) => named.call.at?.includes(place.join('.')) ?? true);
        expect(places.length, `${named.store}.${named.method}`).toBeGreaterThanOrEqual(named.call.at?.length ?? 1);
        for (const place of places) {
          // To SQLite all of them are text or no value at all: a few by turns. To MongoDB each means something else: half of them.
          const share = kind === 'sqlite' ? 8 : 2;
          const tried = OPERATORS.filter((_, index) => (index + turn) % share === 0);
          turn += 1;
          for (const operator of tried) {
            const given = withAt(named.call.with, place, operator) as readonly unknown[];
            const result = await perform(named, given).catch((error: unknown) => {
              expect(error).toBeInstanceOf(Error);
              return null;
            });
            const what = `${named.store}.${named.method} ${place.join('.')} ${JSON.stringify(operator)}`;
            if (!isNothing(result)) found.push(`${what}: ${JSON.stringify(result)}`);
          }
        }
      }
      expect(found).toEqual([]);
      expect(await contentOf(database.storage, victims)).toEqual(before);
    });

    it('and each of them finds what it is honestly asked for', async () => {
      const nothing: string[] = [];
      for (const named of calls()) {
        const result = await perform(named, named.call.with);
        if (result !== undefined && isNothing(result)) nothing.push(`${named.store}.${named.method}`);
      }
      expect(nothing).toEqual([]);
    });
  });
});

/** A call of the table, whatever its arguments. */
interface NamedCall {
  readonly store: keyof StorageCalls;
  readonly method: string;
  readonly call: Call<readonly unknown[]>;
}

/** Whether a call found nothing, did nothing, or has nothing to say. */
function isNothing(result: unknown): boolean {
  if (result === 'not-found' || result === 'challenge-gone') return true;
  if (result instanceof Map || result instanceof Set) return result.size === 0;
  if (typeof result !== 'object' || result === null || result instanceof Date) return !result;
  return Object.values(result).every(isNothing);
}
