/** The bare routes on MongoDB: the same documents, the same counters for ids, the same write concern. */
import { randomUUID } from 'node:crypto';
import { type Db, MongoClient, type Sort } from 'mongodb';
import { DEFAULT_PREFIX, withPrefix } from '../../adapters/mongodb/database.ts';
import { DURABLE } from '../../adapters/mongodb/options.ts';
import type { BareStore } from './bare.ts';
import { newAttemptFields, registered } from './bare-sql.ts';

/** A document of Credence, as far as it is looked at here. */
interface Numbered {
  readonly _id: number;
  readonly [field: string]: unknown;
}

export async function bareMongo(url: string): Promise<BareStore> {
  const client = await MongoClient.connect(url, DURABLE);
  const db = withPrefix(client.db(), DEFAULT_PREFIX);
  const collection = (name: string) => db.collection<Numbered>(name);
  const [creators, accounts, attempts] = [collection('creators'), collection('socialAccounts'), collection('attempts')];
  const begin = async (operation: string) => {
    const action = { at: new Date(), actor: 'token:configured', role: 'admin', operation, requestId: randomUUID() };
    const entry = { _id: await nextId(db, 'auditLog'), ...action, target: null, before: null, after: null };
    await collection('auditLog').insertOne({ ...entry, outcome: 'unknown' });
    return entry._id;
  };
  const end = (_id: number, after: unknown) =>
    collection('auditLog').updateOne({ _id }, { $set: { outcome: 'succeeded', after: JSON.stringify(after) } });
  const page = async (name: string, chosen: object, sort: Sort, [skip, limit]: readonly [number, number]) => ({
    rows: (await collection(name).find(chosen).sort(sort).skip(skip).limit(limit).toArray()).map(view),
    total: await collection(name).countDocuments(chosen),
  });
  return {
    async campaign(id) {
      const found = await collection('campaigns').findOne({ _id: id });
      const { action, ...challenge } = { action: '', campaignId: id, ...(found?.challenge as object) };
      return { ...view(found ?? { _id: id }), challenge, myAttempt: null };
    },
    campaigns: (limit, offset) => page('campaigns', {}, { _id: -1 }, [offset, limit]),
    comments: (challengeId, limit, offset) =>
      page('comments', { challengeId }, { commentedAt: -1, _id: -1 }, [offset, limit]),
    async register({ externalId, platform, handle }) {
      const now = new Date();
      await creators.findOne({ externalId });
      const entry = await begin('registerAccount');
      const known = await creators.findOne({ externalId });
      const id = known?._id ?? (await nextId(db, 'creators'));
      const email = `${externalId}@creators.invalid`;
      if (known === null) await creators.insertOne({ _id: id, externalId, email, displayName: null, createdAt: now });
      const account = { _id: await nextId(db, 'socialAccounts'), creatorId: id, platform, platformUsername: handle };
      const unproven = { ownershipProven: false, platformAccountId: null };
      const rest = { profileData: '{}', ...unproven, connectedAt: now, disconnectedAt: null };
      await accounts.insertOne({ ...account, ...rest });
      await end(entry, [await creators.findOne({ _id: id }), await accounts.find({ creatorId: id }).toArray()]);
      return registered(id, externalId, account._id, handle);
    },
    async createAttempt(challengeId, externalId) {
      const now = new Date();
      const entry = await begin('createAttempt');
      const campaign = await collection('campaigns').findOne({ 'challenge.id': challengeId });
      const userId = (await creators.findOne({ externalId }))?._id;
      if (campaign?.isActive !== true || userId === undefined) throw new Error('not found');
      if ((await attempts.findOne({ challengeId, userId })) !== null) throw new Error('exists');
      const account = await accounts.findOne(
        { creatorId: userId, platform: 'tiktok', disconnectedAt: null },
        { sort: { connectedAt: -1, _id: -1 } },
      );
      const fields = newAttemptFields(String(account?.platformUsername), now);
      const attempt = { _id: await nextId(db, 'attempts'), challengeId, userId, ...fields };
      await attempts.insertOne({ ...attempt, metadata: JSON.stringify(fields.metadata), outbox: [] });
      await end(entry, await attempts.findOne({ _id: attempt._id }));
      return attempt;
    },
    close: () => client.close(),
  };
}

/** Without what only Credence reads. */
const view = ({ _id, challenge, pointsFixed, gate, challengeId, author, metAt, textKey, ...rest }: Numbered) => ({
  id: _id,
  ...rest,
});

async function nextId(db: Db, name: string): Promise<number> {
  const counters = db.collection<{ _id: string; value: number }>('counters');
  const options = { returnDocument: 'after', upsert: true } as const;
  const counter = await counters.findOneAndUpdate({ _id: name }, { $inc: { value: 1 } }, options);
  return counter?.value ?? 0;
}
