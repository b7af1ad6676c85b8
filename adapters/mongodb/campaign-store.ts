import type { Db, Filter } from 'mongodb';
import type { Campaign, CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import type { CampaignChanges, CampaignFilter, CampaignState, CampaignStore } from '../../core/ports/campaign-store.ts';
import { deleteUnlessAttempted } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type CampaignDocument, collection } from './documents.ts';
import { type ListOrder, readPage } from './pages.ts';
import { notePurge, removeHanging } from './purges.ts';
import { repeatOnClash } from './repeat.ts';
import { checked, instant, instantOrNull, integer, text } from './values.ts';

function toCampaign(document: CampaignDocument): Campaign {
  const { _id, challenge, gate, pointsFixed, ...rest } = document;
  return { id: _id, ...rest };
}

function toBoth(document: CampaignDocument | null): CampaignWithChallenge | null {
  if (document === null) return null;
  return { campaign: toCampaign(document), challenge: { ...document.challenge, campaignId: document._id } };
}

function chosenBy({
  brandId,
  state,
  text: words,
  createdFrom,
  createdBefore,
}: CampaignFilter): Filter<CampaignDocument> {
  const parts: Filter<CampaignDocument>[] = [];
  if (brandId !== undefined) parts.push({ brandId: integer(brandId) });
  if (state !== undefined) parts.push(STATES[state.name](instant(state.now)));
  if (words !== undefined)
    parts.push({ title: { $regex: text(words).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), $options: 'i' } });
  if (createdFrom !== undefined) parts.push({ createdAt: { $gte: instant(createdFrom) } });
  if (createdBefore !== undefined) parts.push({ createdAt: { $lt: instant(createdBefore) } });
  return parts.length === 0 ? {} : { $and: parts };
}

/** `$not` holds for null too: no start, no end. */
const STATES: Readonly<Record<CampaignState, (now: Date) => Filter<CampaignDocument>>> = {
  upcoming: (now) => ({ isActive: true, startsAt: { $gt: now }, endsAt: { $not: { $lte: now } } }),
  running: (now) => ({ isActive: true, startsAt: { $not: { $gt: now } }, endsAt: { $not: { $lte: now } } }),
  ended: (now) => ({ $or: [{ isActive: false }, { endsAt: { $lte: now } }] }),
};

export function createCampaignStore(connection: Connection): CampaignStore {
  return {
    create: (campaign, challenge) =>
      connection.run(async (db) => {
        const document: CampaignDocument = {
          _id: await reserveIds(db, 'campaigns'),
          ...campaign,
          brandId: integer(campaign.brandId),
          pointsFixed: false,
          challenge: { id: await reserveIds(db, 'challenges'), ...challenge },
        };
        await collection(db, 'campaigns').insertOne(checked(document));
        return {
          campaign: toCampaign(document),
          challenge: { ...document.challenge, campaignId: document._id },
        };
      }),

    find: (which) =>
      connection.run(async (db) => {
        const filter =
          typeof which === 'number' ? { _id: integer(which) } : { 'challenge.id': integer(which.challengeId) };
        return toBoth(await collection(db, 'campaigns').findOne(filter));
      }),

    list: (page, filter = {}) =>
      connection.run(async (db) => {
        const campaigns = collection(db, 'campaigns');
        const { sort = '-id' } = filter;
        const order: ListOrder<'title'> = {
          direction: sort.startsWith('-') ? -1 : 1,
          ...(sort.endsWith('title') && { by: 'title' }),
        };
        const { items, total } = await readPage(campaigns, chosenBy(filter), order, page);
        return { items: items.map(toCampaign), total };
      }),

    update: (before, changes) => connection.run((db) => updateCampaign(db, before, changes)),

    fixPoints: (challengeId) =>
      connection.run(async (db) => {
        const open = { 'challenge.id': integer(challengeId), pointsFixed: { $ne: true } } as const;
        // From the second reward on it writes nothing, so that rewards do not wait for each other.
        await repeatOnClash(() => collection(db, 'campaigns').updateOne(open, { $set: { pointsFixed: true } }));
      }),

    end: (id, now) =>
      connection.run(async (db) => {
        const campaigns = collection(db, 'campaigns');
        const active = { _id: integer(id), isActive: true };
        const at = instant(now);
        const after = { returnDocument: 'after' } as const;
        // Two updates, because `$min` takes null for the earliest time of all. Each answers what it wrote: read again, the
        // campaign may be deleted by then, though others saw it end.
        const campaign =
          (await campaigns.findOneAndUpdate(
            { ...active, endsAt: null },
            { $set: { isActive: false, endsAt: at } },
            after,
          )) ??
          (await campaigns.findOneAndUpdate(active, { $set: { isActive: false }, $min: { endsAt: at } }, after)) ??
          (await campaigns.findOne({ _id: id }));
        return campaign === null ? null : toCampaign(campaign);
      }),

    delete: (id) =>
      connection.run(async (db) => {
        const outcome = await deleteUnlessAttempted(db, integer(id), (challengeId) =>
          notePurge(db, 'challenge', challengeId),
        );
        if (typeof outcome === 'string') return outcome;
        await removeHanging(db, 'challenge', [outcome.deleted]);
        return 'deleted';
      }),
  };
}

/** See `CampaignStore.update`. Which points there are is decided in the campaign's document, which `fixPoints` writes too. */
async function updateCampaign(
  db: Db,
  before: Campaign,
  { instructionText, ...changes }: CampaignChanges,
): Promise<CampaignWithChallenge | 'points-fixed' | null> {
  const campaigns = collection(db, 'campaigns');
  const { id, isActive, pointsReward, startsAt, endsAt } = before;
  const asBefore = {
    _id: integer(id),
    isActive: { $eq: isActive },
    pointsReward: integer(pointsReward),
    startsAt: instantOrNull(startsAt),
    endsAt: instantOrNull(endsAt),
  };
  const stored = await campaigns.findOne(asBefore);
  if (stored === null) return null;
  const hasOtherPoints = (changes.pointsReward ?? pointsReward) !== pointsReward;
  if (hasOtherPoints && stored.pointsFixed) return 'points-fixed';
  const set = checked({
    ...changes,
    ...(instructionText !== undefined && { 'challenge.instructionText': instructionText }),
  });
  if (Object.keys(set).length === 0) return toBoth(stored);
  const target = hasOtherPoints ? { ...asBefore, pointsFixed: { $ne: true } } : asBefore;
  return toBoth(await campaigns.findOneAndUpdate(target, { $set: set }, { returnDocument: 'after' }));
}
