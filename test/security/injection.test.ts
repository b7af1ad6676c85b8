/**
 * Text is text: what a query language would take for an operator is refused over HTTP, never reaches a filter at the storage
 * adapters, and finds nothing but itself where it is an honest value.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSignature } from '../../core/engagement/webhooks/signature.ts';
import type { Storage } from '../../core/ports/storage.ts';
import * as sample from '../contract/storage/samples.ts';
import { T0 } from '../contract/storage/samples.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { eachStorage, openTestStorage, type TestStorage } from '../support/storage.ts';
import { exampleOf, placesIn, withAt } from './places.ts';
import { CALLBACK_SECRET, everyService, pathOf } from './support.ts';

/** `JSON.parse`, since some of these keys mean something in an object literal. */
const OPERATORS: readonly unknown[] = [
  '{"$gt":""}',
  '{"$ne":null}',
  '{"$regex":".*"}',
  '{"$where":"return true"}',
  '{"$in":["",null]}',
  '{"$exists":true}',
  '{"$not":{"$eq":"x"}}',
  '{"a.b":1}',
  '{"__proto__":{"$gt":""}}',
  '{"toString":"x"}',
  '{"_bsontype":"ObjectId","id":"aaaaaaaaaaaa"}',
  '{"length":24}',
  '[]',
  '[null]',
  '[{"$gt":""}]',
  'true',
].map((text) => JSON.parse(text) as unknown);

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

    it('an operator in any one field of any row is refused, whatever stands in the others', async () => {
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
          // Some of them by turns as requests, too: thousands would take their time.
          for (let sent = 0; sent < 2; sent += 1, turn += 1) {
            const raw = JSON.stringify(withAt(example, place, operators[turn % operators.length]));
            const headers = { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
            const { status, text } = await instance.api.call(route.method, pathOf(route), { raw, headers });
            const isRefused = [400, 422].includes(status) && text.includes('Invalid request: body');
            if (!isRefused) accepted.push(`${route.id} ${raw} ${status} ${text}`);
          }
        }
      }
      expect(accepted).toEqual([]);
      expect(turn).toBeGreaterThan(200);
    });

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
    let storage: Storage;
    beforeAll(async () => {
      database = await openTestStorage(kind);
      storage = database.storage;
      await storage.tokens.create(sample.newToken({ hash: 'secret-hash', role: 'admin' }));
      const { creator } = await storage.creators.link(sample.linkInput({ externalId: 'victim', handle: 'victim' }));
      const challengeId = await sample.storedChallenge(storage);
      await sample.storedAttempt(storage, challengeId, creator.id);
      await storage.comments.insertNew(challengeId, [sample.newComment({ username: 'victim' })], T0);
      const brand = await storage.brands.create({ name: 'B', slug: 'b', logoUrl: null, createdAt: T0 });
      const webhook = await storage.webhooks.create(sample.newWebhook(brand?.id ?? 0));
      await storage.deliveries.createMany([sample.newDelivery(webhook.id)]);
    });
    afterAll(() => database.close());

    /** Every lookup by a value, with what stands where text or a number belongs. */
    const LOOKUPS: readonly (readonly [string, (at: Storage, evil: never) => Promise<unknown>])[] = [
      ['tokens.findByHash', (at, evil) => at.tokens.findByHash(evil)],
      ['tokens.revoke', (at, evil) => at.tokens.revoke(evil, T0)],
      ['creators.findByExternalId', (at, evil) => at.creators.findByExternalId(evil)],
      ['creators.findById', (at, evil) => at.creators.findById(evil)],
      ['creators.accountsOf', (at, evil) => at.creators.accountsOf(evil)],
      ['creators.activeAccount', (at, evil) => at.creators.activeAccount(evil, evil)],
      ['creators.findByHandle', (at, evil) => at.creators.findByHandle('instagram', evil)],
      ['creators.findByHandle, platform', (at, evil) => at.creators.findByHandle(evil, evil)],
      ['creators.everLinked', (at, evil) => at.creators.everLinked('instagram', evil)],
      ['creators.everLinked, platform', (at, evil) => at.creators.everLinked(evil, evil)],
      ['creators.linkedCreators', (at, evil) => at.creators.linkedCreators(evil, 0, 10)],
      [
        'creators.disconnect',
        (at, evil) => at.creators.disconnect({ externalId: evil, platform: 'instagram', handle: evil }, T0),
      ],
      ['creators.replaceProfile', (at, evil) => at.creators.replaceProfile(evil, {}, null)],
      ['brands.find', (at, evil) => at.brands.find(evil)],
      ['campaigns.find', (at, evil) => at.campaigns.find(evil)],
      ['campaigns.findByChallenge', (at, evil) => at.campaigns.findByChallenge(evil)],
      ['campaigns.end', (at, evil) => at.campaigns.end(evil, T0)],
      ['attempts.find', (at, evil) => at.attempts.find(evil)],
      ['attempts.findByCreator', (at, evil) => at.attempts.findByCreator(evil, evil)],
      ['attempts.listByCreator', (at, evil) => at.attempts.listByCreator(evil)],
      ['attempts.outboxOf', (at, evil) => at.attempts.outboxOf(evil)],
      ['comments.earliestByAuthors', (at, evil) => at.comments.earliestByAuthors(1, [evil])],
      ['comments.count', (at, evil) => at.comments.count(evil)],
      ['comments.sweep', (at, evil) => at.comments.sweep(evil)],
      ['metrics.latest', (at, evil) => at.metrics.latest(evil)],
      ['likers.latestFetch', (at, evil) => at.likers.latestFetch(evil)],
      ['likers.findFetch', (at, evil) => at.likers.findFetch(evil)],
      ['likers.handlesAmong', (at, evil) => at.likers.handlesAmong(evil, [evil])],
      ['webhooks.find', (at, evil) => at.webhooks.find(evil, evil)],
      ['webhooks.findById', (at, evil) => at.webhooks.findById(evil)],
      ['webhooks.listByBrand', (at, evil) => at.webhooks.listByBrand(evil)],
      ['webhooks.subscribed', (at, evil) => at.webhooks.subscribed(evil, evil)],
      ['webhooks.update', (at, evil) => at.webhooks.update(evil, evil, { active: false })],
      ['webhooks.delete', (at, evil) => at.webhooks.delete(evil, evil)],
      ['deliveries.find', (at, evil) => at.deliveries.find(evil)],
      ['deliveries.cancelPending', (at, evil) => at.deliveries.cancelPending(evil, T0)],
      ['deliveries.pendingOf', (at, evil) => at.deliveries.pendingOf(evil, 0, 10)],
      ['connections.find', (at, evil) => at.connections.find(evil)],
    ];

    it.each(LOOKUPS)('%s finds nothing by an operator', async (_name, look) => {
      for (const operator of OPERATORS) {
        const found = await look(storage, operator as never).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Error);
          return null;
        });
        expect(sizeOf(found), JSON.stringify(operator)).toBe(0);
      }
    });

    it('nothing was changed by any of that', async () => {
      expect(await storage.tokens.findByHash('secret-hash')).toMatchObject({ revokedAt: null });
      expect(await storage.creators.findByHandle('instagram', 'victim')).toHaveLength(1);
      expect(await storage.webhooks.findById(1)).toMatchObject({ active: true });
      expect(await storage.deliveries.find(1)).toMatchObject({ status: 'pending' });
      expect((await storage.campaigns.find(1))?.campaign.isActive).toBe(true);
    });
  });
});

/** How much a lookup gave away. */
function sizeOf(found: unknown): number {
  if (found === null || found === undefined || found === false) return 0;
  if (typeof found === 'number') return found;
  if (found instanceof Map || found instanceof Set) return found.size;
  return Array.isArray(found) ? found.length : 1;
}
