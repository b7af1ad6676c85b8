/** What MongoDB alone has to show: indexes checked at boot, counters, marks and gates that heal after a crash. */
import { Collection, type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnection, DEFAULT_PREFIX, withPrefix } from '../../../adapters/mongodb/database.ts';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { INDEXES } from '../../../adapters/mongodb/indexes.ts';
import { type Database, databaseAt } from '../../../adapters/mongodb/items.ts';
import { isDomainError } from '../../../core/errors.ts';
import { maintain } from '../../support/maintain.ts';
import { openTestStorage } from '../../support/storage.ts';
import {
  advanced,
  countComments,
  createAttempt,
  jobEntry,
  later,
  linkInput,
  newAttempt,
  newCampaign,
  newChallenge,
  newComment,
  newDelivery,
  newLiker,
  newLikersFetch,
  newWebhook,
  parallel,
  storedAttempt,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';

export function mongoExtra(): void {
  describe('MongoDB alone', () => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let client: MongoClient;
    let db: Db;
    let database: Database;
    beforeAll(async () => {
      made = await openTestStorage('mongodb');
      client = new MongoClient(made.url);
      db = withPrefix(client.db(), DEFAULT_PREFIX);
      database = databaseAt(() => db);
    });
    afterAll(async () => {
      await client.close();
      await made.close();
    });
    /** Opens one more storage, as a starting process does. */
    const boot = async () => {
      const storage = made.create();
      await storage.open();
      return storage;
    };

    it('validates its options', () => {
      expect(() => createMongoStorage({ url: 'http://127.0.0.1' })).toThrow('mongodb://');
      expect(() => createMongoStorage({ url: made.url, database: 'a b' })).toThrow('letters');
      expect(() => createMongoStorage({})).toThrow('one of url, client and db');
      expect(() => createMongoStorage({ url: made.url, client })).toThrow('one of url, client and db');
      expect(() => createMongoStorage({ client: {} as MongoClient })).toThrow('must be a MongoClient');
      expect(() => createMongoStorage({ url: made.url, dtabase: 'x' } as { url: string })).toThrow('dtabase');
    });

    it.each([
      ['readPreference=secondaryPreferred', 'readPreference to anything but primary'],
      ['READPREFERENCE=nearest', 'READPREFERENCE to anything but primary'],
      ['w=0', 'w to anything but majority'],
      ['w=1', 'w to anything but majority'],
      ['journal=false', 'journal to anything but true'],
      ['j=false', 'j to anything but true'],
      ['w=majority&w=0', 'w to anything but majority'],
    ])('refuses a URL with %s, without quoting it', (settings, reason) => {
      const url = `mongodb://user:s3cret@127.0.0.1/x?directConnection=true&${settings}`;
      const create = () => createMongoStorage({ url });
      expect(create).toThrow(reason);
      expect(create).not.toThrow('s3cret');
    });

    it('reads from the primary and waits for the journals of a majority, also where the URL says so', async () => {
      for (const settings of ['', 'readPreference=primary&w=majority&journal=true&retryWrites=true']) {
        const connection = createConnection({
          url: `${made.url}${made.url.includes('?') ? '&' : '?'}${settings}`,
          database: undefined,
          maxPoolSize: 2,
          connectTimeoutMs: 5_000,
          socketTimeoutMs: 5_000,
        });
        await connection.open();
        const { raw } = connection.db.jobs;
        const promised = { reads: raw.readPreference?.mode, writes: { ...raw.writeConcern } };
        expect(promised).toMatchObject({ reads: 'primary', writes: { w: 'majority', journal: true } });
        await connection.close();
      }
    });

    it("stands beside the host's own collections of the same names, through its client, and leaves that open", async () => {
      const shared = client.db(`shared_${Date.now()}`);
      await shared.collection('brands').insertMany([{ slug: 'theirs' }, { slug: 'theirs' }]);
      const brand = { name: 'B', slug: 'theirs', logoUrl: null, createdAt: T0 };
      const places = [{ db: shared }, { client, database: shared.databaseName, collectionPrefix: 'second_' }];
      for (const place of places) {
        const storage = createMongoStorage(place);
        await storage.open();
        const made = await Promise.all([storage.brands.create(brand), storage.brands.create(brand)]);
        expect(made.filter((one) => one !== null)).toHaveLength(1);
        await storage.close();
      }
      expect(await shared.collection('brands').countDocuments()).toBe(2);
      expect(await shared.collection('second_brands').countDocuments()).toBe(1);
      await shared.dropDatabase();
    });

    it('says which indexes are missing, and with `never` makes none', async () => {
      const empty = client.db(`empty_${Date.now()}`);
      const refused = createMongoStorage({ db: empty, migrate: 'never' });
      await expect(refused.open()).rejects.toThrow(/lacks indexes .*getCollection\('credence_.*credence migrate/s);
      expect(await empty.collections()).toEqual([]);
      const storage = createMongoStorage({ db: empty });
      expect((await storage.missing()).length).toBeGreaterThan(40);
      await storage.open();
      expect(await storage.missing()).toEqual([]);
      await refused.open();
      await empty.dropDatabase();
    });

    it('a store that was made without a prefix keeps its names', async () => {
      const older = client.db(`older_${Date.now()}`);
      const before = createMongoStorage({ db: older, collectionPrefix: '' });
      await before.open();
      const { creator } = await before.creators.link(linkInput());
      const after = createMongoStorage({ client, database: older.databaseName });
      await after.open();
      expect(await after.creators.find(creator.id)).toEqual(creator);
      await older.dropDatabase();
    });

    it('an unreachable server is unavailable, without a password in the message', async () => {
      const refused = createMongoStorage({ url: 'mongodb://user:s3cret@127.0.0.1:1/x', connectTimeoutMs: 300 });
      const error: unknown = await refused.open().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(String(error)).not.toContain('s3cret');
      await refused.close();
    });

    it('refuses a URL that the driver cannot read, without quoting it', () => {
      const create = () => createMongoStorage({ url: 'mongodb://user:s3cret@127.0.0.1:port/x' });
      expect(create).toThrow('the MongoDB driver cannot read the URL');
      expect(create).not.toThrow('s3cret');
    });

    it('the option names the database, else the URL', async () => {
      const url = made.url.replace(/\/t_[^?]*/, '/');
      const storage = createMongoStorage({ url, database: 'named_here' });
      await storage.open();
      const { creator } = await storage.creators.link(linkInput());
      expect(await client.db('named_here').collection('credence_creators').countDocuments()).toBe(1);
      await storage.close();
      const byUrl = createMongoStorage({ url: url.replace(/\/(\?|$)/, '/named_here$1') });
      await byUrl.open();
      expect(await byUrl.creators.find(creator.id)).toEqual(creator);
      await byUrl.close();
    });

    const uniqueIndexes = Object.entries(INDEXES).flatMap(([collection, specs]) =>
      specs.filter((spec) => spec.unique).map((spec) => [collection, spec] as const),
    );

    it('every unique index is really there', async () => {
      expect(uniqueIndexes.length).toBeGreaterThanOrEqual(11);
      for (const [collection, spec] of uniqueIndexes) {
        const indexes = await db.collection(collection).listIndexes().toArray();
        expect(indexes).toContainEqual(expect.objectContaining({ name: spec.name, key: spec.key, unique: true }));
      }
    });

    it('a unique index that was removed is made again at boot', async () => {
      await db.collection('attempts').dropIndex('one_per_creator');
      await boot();
      const indexes = await db.collection('attempts').listIndexes().toArray();
      expect(indexes).toContainEqual(expect.objectContaining({ name: 'one_per_creator', unique: true }));
    });

    it.each([
      ['not unique any more', 'tokens', 'one_per_hash', { hash: 1 }, {}],
      ['on another key', 'brands', 'one_per_slug', { name: 1 }, { unique: true }],
      [
        'partial',
        'jobs',
        'one_live_per_key',
        { slot: 1 },
        { unique: true, partialFilterExpression: { run: { $gt: 5 } } },
      ],
    ] as const)(
      'a unique index that is %s stops the boot, and the error names it',
      async (_, collection, name, key, options) => {
        await db.collection(collection).dropIndex(name);
        await db.collection(collection).createIndex(key, { name, ...options });
        await expect(boot()).rejects.toThrow(new RegExp(`"${name}" on the collection "credence_${collection}"`));
        await db.collection(collection).dropIndex(name);
        await boot();
      },
    );

    it('a call with an argument that it refuses has sent nothing: nobody would wait for the answer', async () => {
      const watched = new MongoClient(made.url, { monitorCommands: true });
      await watched.connect();
      const sent: string[] = [];
      watched.on('commandStarted', ({ commandName }) => void sent.push(commandName));
      const database = databaseAt(() => watched.db());
      const { createCreatorStore } = await import('../../../adapters/mongodb/creator-store.ts');
      const { createJobStore } = await import('../../../adapters/mongodb/job-store.ts');
      const creators = createCreatorStore(database);
      const bad = Number.NaN;
      const calls = [
        async () => creators.listPage({ page: 1, limit: 2, after: { id: bad } }),
        async () => createJobStore(database).stats(new Date(bad)),
        async () => creators.activeLinks('tiktok', bad, 1),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(/integer|date/i);
      await watched.close();
      expect(sent.filter((name) => name !== 'endSessions')).toEqual([]);
    });

    it('a call that closing cuts short is told that the storage is unavailable, a bulk too', async () => {
      const { url } = made;
      const challengeId = await storedChallenge(made.storage);
      const refusals: unknown[] = [];
      // Bulks and reads are cut at different places, depending on how far they are.
      for (const turns of [0, 1, 2, 4, 7, 11, 16, 23]) {
        const storage = createMongoStorage({ url });
        await storage.open();
        const comments = Array.from({ length: 20 }, () => newComment());
        const calls = [
          storage.comments.insertNew(challengeId, comments, T0),
          storage.creators.link(linkInput()),
          storage.comments.sweep(challengeId),
          storage.ping(),
        ].map((call) => call.catch((error: unknown) => void refusals.push(error)));
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        await storage.close();
        await Promise.all(calls);
      }
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals.filter((error) => !isDomainError(error, 'SERVICE_UNAVAILABLE'))).toEqual([]);
    });

    it('a write that stores likers after their fetch is over takes back those that only it has found', async () => {
      const { createLikerStore } = await import('../../../adapters/mongodb/liker-store.ts');
      const [late, other] = [createLikerStore(databaseAt(() => db)), made.storage.likers];
      const fetch = await other.createFetch(newLikersFetch(await storedChallenge(made.storage), { status: 'running' }));
      const [ada, bob, cara] = [newLiker(), newLiker(), newLiker()];
      const original = Collection.prototype.insertMany;
      let conclude = async () => {
        expect(await other.insertNew(fetch.id, [ada, bob])).toBe(1);
        expect(await other.updateFetch({ ...fetch, status: 'succeeded', fetchedCount: 2 })).toBe(true);
      };
      const insertMany = vi.spyOn(Collection.prototype, 'insertMany').mockImplementation(async function (
        this: Collection,
        ...given
      ) {
        const result = await original.apply(this, given);
        const concludes = conclude;
        conclude = async () => undefined;
        await concludes();
        return result;
      });
      expect(await late.insertNew(fetch.id, [ada, cara])).toBe(0);
      insertMany.mockRestore();
      const { items, total } = await other.page(fetch.id, { page: 1, limit: 5 });
      expect(items.map(({ igUserId }) => igUserId)).toEqual([ada.igUserId, bob.igUserId]);
      expect(total).toBe(2);
    });

    it('duplicates that prevent a unique index stop the boot, and the error names it', async () => {
      const slugs = db.collection<{ _id: number; slug: string }>('brands');
      await slugs.dropIndex('one_per_slug');
      await slugs.insertMany([
        { _id: 70_001, slug: 'twin' },
        { _id: 70_002, slug: 'twin' },
      ]);
      await expect(boot()).rejects.toThrow('"one_per_slug"');
      await slugs.deleteMany({ slug: 'twin' });
      await boot();
    });

    it('counters give every id once under concurrency, and start after what a restored backup holds', async () => {
      const storages = [made.storage, await boot()];
      const links = await parallel(20, (index) => (storages[index % 2] ?? made.storage).creators.link(linkInput()));
      expect(new Set(links.map((one) => one.creator.id)).size).toBe(20);
      const highest = Math.max(...links.map((one) => one.creator.id));
      await db.collection<{ _id: string }>('counters').deleteMany({ _id: { $in: ['creators', 'challenges'] } });
      const challengeId = await storedChallenge(made.storage).catch(() => null);
      expect(challengeId).toBeNull();
      const fresh = await boot();
      expect((await fresh.creators.link(linkInput())).creator.id).toBeGreaterThan(highest);
      expect(await storedChallenge(fresh)).toBeGreaterThan(0);
    });

    describe('after a crash', () => {
      let challengeId = 0;
      let campaignId = 0;
      beforeEach(async () => {
        const stored = await made.storage.campaigns.create(newCampaign(), newChallenge());
        challengeId = stored.challenge.id;
        campaignId = stored.campaign.id;
      });
      const campaigns = () => db.collection<{ _id: number }>('campaigns');
      const gate = (ageMs: number) => ({ nonce: 'n', at: new Date(Date.now() - ageMs), settled: false });

      it('a young gate of a creation under way holds a deletion up; a stale one heals', async () => {
        await campaigns().updateOne({ _id: campaignId }, { $set: { gate: gate(1_000) } });
        expect(await made.storage.campaigns.delete(campaignId)).toBe('has-attempts');
        await campaigns().updateOne({ _id: campaignId }, { $set: { gate: gate(600_000) } });
        expect(await made.storage.campaigns.delete(campaignId)).toBe('deleted');
      });

      it('an attempt behind a stale gate still counts', async () => {
        await storedAttempt(made.storage, challengeId, 1);
        await campaigns().updateOne({ _id: campaignId }, { $set: { gate: gate(600_000) } });
        expect(await made.storage.campaigns.delete(campaignId)).toBe('has-attempts');
      });

      it('an attempt whose campaign went before it was settled is withdrawn', async () => {
        const { settleGate } = await import('../../../adapters/mongodb/attempt-gate.ts');
        await campaigns().deleteOne({ _id: campaignId });
        expect(await settleGate(database, challengeId)).toBe(false);
        const before = await db.collection('attempts').countDocuments();
        expect(await createAttempt(made.storage.attempts, newAttempt(challengeId, 1), [])).toEqual({
          kind: 'challenge-gone',
        });
        expect(await db.collection('attempts').countDocuments()).toBe(before);
      });

      it.each(['before', 'after'] as const)(
        'a proof is not lost that moves to a renamed handle, if the process dies %s the former link gave it up',
        async (when) => {
          const { creators } = made.storage;
          const [accountId, handle] = [unique('9'), unique('renamed')];
          const input = linkInput({ ownershipProven: true, platformAccountId: accountId });
          const { account, creator } = await creators.link(input);
          const method = when === 'before' ? 'updateOne' : 'findOneAndUpdate';
          const original = Collection.prototype[method] as (...given: unknown[]) => Promise<unknown>;
          const dying = vi.spyOn(Collection.prototype, method).mockImplementation(function (
            this: Collection,
            ...given: unknown[]
          ) {
            if (this.collectionName !== 'credence_socialAccounts') return original.apply(this, given);
            return Promise.reject(new Error('The server is gone.'));
          } as never);
          const follow = () =>
            creators.followHandle({ link: account, accountId, handle, seenAt: later(5), now: later(6) });
          await expect(follow()).rejects.toThrow('gone');
          dying.mockRestore();
          const aMinuteAgo = { $set: { 'follows.since': new Date(Date.now() - 61_000) } };
          await database.socialAccounts.raw.updateOne({ creatorId: creator.id, platformUsername: handle }, aMinuteAgo);
          await boot();
          const proven = (await creators.accountsOf(creator.id)).filter((one) => one.platformAccountId === accountId);
          expect(proven.map((one) => one.platformUsername)).toEqual([when === 'before' ? input.handle : handle]);
          expect(await database.socialAccounts.raw.countDocuments({ follows: { $exists: true } })).toBe(0);
          if (when === 'before')
            expect(await follow()).toMatchObject({ platformUsername: handle, ownershipProven: true });
        },
      );

      it('a mark on an empty outbox does not hide the others behind it', async () => {
        const attempts = db.collection<{ _id: number }>('attempts');
        for (const user of [1, 2, 3]) {
          const { id } = await storedAttempt(made.storage, challengeId, user);
          await attempts.updateOne({ _id: id }, { $set: { outboxAt: new Date(user) } });
        }
        const before = await storedAttempt(made.storage, challengeId, 4);
        const entry = jobEntry(before.id);
        await made.storage.attempts.transition(before, advanced(before, { updatedAt: later(1) }), [entry]);
        expect(await made.storage.outbox.pending(2)).toEqual([{ owner: `attempts:${before.id}`, entries: [entry] }]);
      });

      it('a purge that was cut short is taken up at boot; one whose target stands is not', async () => {
        const { storage } = made;
        await storage.comments.insertNew(challengeId, [newComment()], T0);
        const standing = await storedChallenge(storage);
        await storage.comments.insertNew(standing, [newComment()], T0);
        const webhook = await storage.webhooks.create(newWebhook(1));
        await storage.deliveries.createMany([newDelivery(webhook.id)]);
        await campaigns().deleteOne({ _id: campaignId });
        await database.webhooks.raw.deleteOne({ _id: webhook.id });
        const old = new Date(Date.now() - 7_200_000);
        await database.purges.raw.insertMany([
          { _id: `challenge:${challengeId}`, kind: 'challenge', target: challengeId, at: old },
          { _id: `challenge:${standing}`, kind: 'challenge', target: standing, at: old },
          { _id: `webhook:${webhook.id}`, kind: 'webhook', target: webhook.id, at: old },
        ]);
        await boot();
        expect(await countComments(storage.comments, challengeId)).toBe(0);
        expect(await countComments(storage.comments, standing)).toBe(1);
        expect(await db.collection('deliveries').countDocuments({ target: webhook.id })).toBe(0);
        await database.purges.raw.deleteMany({});
      });

      it('the note of a purge goes after a week, after a last look at its target', async () => {
        const { storage } = made;
        await storage.comments.insertNew(challengeId, [newComment()], T0);
        await campaigns().deleteOne({ _id: campaignId });
        const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
        await database.purges.raw.insertMany([
          { _id: `challenge:${challengeId}`, kind: 'challenge', target: challengeId, at: daysAgo(8) },
          { _id: 'webhook:90001', kind: 'webhook', target: 90_001, at: daysAgo(6) },
        ]);
        expect(await maintain(storage)).toBe(1);
        const notes = await database.purges.raw.find().sort({ _id: 1 }).toArray();
        expect(notes.map(({ _id }) => _id)).toEqual(['webhook:90001']);
        await database.purges.raw.deleteMany({});
      });

      /** Runs `work` with a process that stands still before its next insert, and that dies when it has inserted. */
      const insertingLate = async (begin: (other: Database) => Promise<unknown>, work: () => Promise<void>) => {
        const original = Collection.prototype.insertMany;
        const [begun, freed, stored] = [0, 1, 2].map(() => Promise.withResolvers<void>());
        const insertMany = vi.spyOn(Collection.prototype, 'insertMany').mockImplementationOnce(async function (
          this: Collection,
          ...given
        ) {
          begun?.resolve();
          await freed?.promise;
          await original.apply(this, given);
          stored?.resolve();
          return new Promise<never>(() => undefined);
        });
        // Of a process of its own: calls of one process for one collection go one after another.
        void begin(databaseAt(() => withPrefix(client.db(), DEFAULT_PREFIX)));
        await begun?.promise;
        insertMany.mockRestore();
        await work();
        freed?.resolve();
        await stored?.promise;
      };

      it('an attempt that is stored after its campaign was deleted goes, though its process dies at once', async () => {
        const { createAttemptStore } = await import('../../../adapters/mongodb/attempt-store.ts');
        const create = (other: Database) =>
          createAttempt(createAttemptStore(other), newAttempt(challengeId, 1), [jobEntry(1)]);
        await insertingLate(create, async () => {
          // A minute passes.
          await campaigns().updateOne({ _id: campaignId }, { $set: { 'gate.at': new Date(Date.now() - 61_000) } });
          expect(await made.storage.campaigns.delete(campaignId)).toBe('deleted');
        });
        const attempts = () => db.collection('attempts').countDocuments({ challengeId });
        expect(await attempts()).toBe(1);
        expect(await maintain(made.storage)).toBe(1);
        expect(await attempts()).toBe(0);
      });

      it('whatever names a deleted campaign or webhook goes, and nothing of others', async () => {
        const { storage } = made;
        const standing = await storedChallenge(storage);
        const webhooks = [await storage.webhooks.create(newWebhook(1)), await storage.webhooks.create(newWebhook(1))];
        const named = async (challenge: number, webhook: number, _id: number) => {
          for (const name of ['attempts', 'comments', 'metrics', 'likersFetches']) {
            await db.collection<{ _id: number }>(name).insertOne({ _id, challengeId: challenge, userId: _id } as never);
          }
          await db.collection<{ _id: number }>('sweeps').insertOne({ _id: challenge });
          await db.collection<{ _id: number }>('likers').insertOne({ _id, fetchId: _id } as never);
          await db.collection<{ _id: number }>('deliveries').insertOne({ _id, target: webhook } as never);
        };
        expect(await storage.campaigns.delete(campaignId)).toBe('deleted');
        expect(await storage.webhooks.delete(1, webhooks[0]?.id ?? 0)).toBe(true);
        await named(challengeId, webhooks[0]?.id ?? 0, 8_800_001);
        await named(standing, webhooks[1]?.id ?? 0, 8_800_002);
        expect(await maintain(storage)).toBe(7);
        expect(await maintain(storage)).toBe(0);
        expect(
          await storage.campaigns.delete((await storage.campaigns.find({ challengeId: standing }))?.campaign.id ?? 0),
        ).toBe('has-attempts');
        expect(await db.collection('likers').countDocuments({ fetchId: 8_800_002 })).toBe(1);
        expect(await db.collection('deliveries').countDocuments({ target: webhooks[1]?.id ?? 0 })).toBe(1);
        for (const name of ['attempts', 'comments', 'metrics', 'likersFetches']) {
          await db.collection(name).deleteMany({ challengeId: standing });
        }
      });

      it('looks for what came late at all deletions, hundreds at a time', async () => {
        const { storage } = made;
        await database.purges.raw.insertMany(
          Array.from({ length: 1_100 }, (_, index) => {
            const [kind, target] = [
              index % 2 === 0 ? ('challenge' as const) : ('webhook' as const),
              9_000_000 + (index >> 1),
            ];
            return { _id: `${kind}:${target}`, kind, target, at: new Date() };
          }),
        );
        const late = Array.from({ length: 550 }, (_, index) => ({
          _id: 9_000_000 + index,
          challengeId: 9_000_000 + index,
        }));
        await db.collection<{ _id: number }>('metrics').insertMany(late);
        expect(await maintain(storage)).toBe(550);
        await database.purges.raw.deleteMany({ target: { $gte: 9_000_000 } });
      });
    });
  });
}
