import { type Db, MongoClient } from 'mongodb';
import type { CampaignDocument } from '../../../adapters/mongodb/documents.ts';
import { DURABLE } from '../../../adapters/mongodb/url-settings.ts';
import { type BareStore, newAttemptFields } from './bare.ts';

/** A document of Credence, as far as it is looked at here. */
interface Numbered {
  readonly _id: number;
  readonly [field: string]: unknown;
}

/** The same documents, the same counters for ids, the same write concern. */
export async function createBareMongo(url: string): Promise<BareStore> {
  const client = await MongoClient.connect(url, DURABLE);
  const db = client.db();
  const creators = db.collection<Numbered>('creators');
  const accounts = db.collection<Numbered & { readonly handle: string }>('socialAccounts');
  const campaigns = db.collection<CampaignDocument>('campaigns');
  const attempts = db.collection<Numbered>('attempts');
  const comments = db.collection<Numbered>('comments');
  return {
    async register({ externalId, platform, handle }) {
      const now = new Date();
      const known = await creators.findOne({ externalId });
      const id = known?._id ?? (await nextId(db, 'creators'));
      const creator = {
        _id: id,
        externalId,
        email: `${externalId}@creators.invalid`,
        displayName: null,
        createdAt: now,
      };
      if (known === null) await creators.insertOne(creator);
      const account = { _id: await nextId(db, 'socialAccounts'), creatorId: id, platform, handle };
      await accounts.insertOne({
        ...account,
        profileData: '{}',
        ownershipProven: false,
        connectedAt: now,
        disconnectedAt: null,
      });
      return {
        user: { id, externalId },
        socialAccount: { id: account._id, platform, platformUsername: handle, profileData: {} },
      };
    },
    async createAttempt(challengeId, externalId) {
      const now = new Date();
      const campaign = await campaigns.findOne({ 'challenge.id': challengeId });
      const creator = await creators.findOne({ externalId });
      if (campaign?.isActive !== true || creator === null) throw new Error('not found');
      const userId = creator._id;
      if ((await attempts.findOne({ challengeId, userId })) !== null) throw new Error('exists');
      const account = await accounts.findOne(
        { creatorId: userId, platform: campaign.challenge.platform, disconnectedAt: null },
        { sort: { connectedAt: -1, _id: -1 } },
      );
      if (account === null) throw new Error('no handle');
      const fields = newAttemptFields(account.handle, now);
      const attempt = {
        _id: await nextId(db, 'attempts'),
        challengeId,
        userId,
        ...fields,
        createdAt: now,
        updatedAt: now,
      };
      await attempts.insertOne({ ...attempt, metadata: JSON.stringify(fields.metadata), outbox: [] });
      const { _id, ...rest } = attempt;
      return { id: _id, ...rest };
    },
    async campaign(id) {
      const campaign = await campaigns.findOne({ _id: id });
      if (campaign === null) throw new Error('not found');
      const { _id, gate, ...rest } = campaign;
      return { id: _id, ...rest, myAttempt: null };
    },
    async comments(challengeId, limit, offset) {
      const [rows, total] = await Promise.all([
        comments.find({ challengeId }).sort({ commentedAt: -1, _id: -1 }).skip(offset).limit(limit).toArray(),
        comments.countDocuments({ challengeId }),
      ]);
      return { rows: rows.map(({ _id, challengeId: _, author, ...rest }) => ({ id: _id, ...rest })), total };
    },
    close: () => client.close(),
  };
}

async function nextId(db: Db, name: string): Promise<number> {
  const counters = db.collection<{ _id: string; value: number }>('counters');
  const counter = await counters.findOneAndUpdate(
    { _id: name },
    { $inc: { value: 1 } },
    { returnDocument: 'after', upsert: true },
  );
  return counter?.value ?? 0;
}
