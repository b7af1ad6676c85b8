import type { Document, Filter } from 'mongodb';
import type { CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import {
  type CampaignChanges,
  type CampaignFilter,
  type CampaignState,
  type CampaignStore,
  changesWhatIsFixed,
} from '../../core/ports/campaign-store.ts';
import { patternOf } from '../../core/ports/search-text.ts';
import { deleteUnlessAttempted } from './attempt-gate.ts';
import { takeIds } from './counters.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';
import { notePurge, removeHanging } from './purges.ts';
import { between, checked, equals, instant, integer, text } from './values.ts';

type CampaignDocument = DocumentOf<'campaigns'>;

function chosenBy(filter: CampaignFilter): Filter<CampaignDocument> {
  const { brandId, state, text: words, createdFrom, createdBefore } = filter;
  const title = words !== undefined && { $regex: patternOf(text(words)), $options: 'i' };
  const createdAt = between(createdFrom, createdBefore);
  return {
    ...equals({}, { brandId }),
    ...(state && STATES[state.name](instant(state.now))),
    ...(title && { title }),
    ...(createdAt && { createdAt }),
  };
}

/** `$not` holds for null too: no start, no end. */
const STATES: Readonly<Record<CampaignState, (now: Date) => Filter<CampaignDocument>>> = {
  upcoming: (now) => ({ isActive: true, startsAt: { $gt: now }, endsAt: { $not: { $lte: now } } }),
  running: (now) => ({ isActive: true, startsAt: { $not: { $gt: now } }, endsAt: { $not: { $lte: now } } }),
  ended: (now) => ({ $or: [{ isActive: false }, { endsAt: { $lte: now } }] }),
};

export function createCampaignStore(db: Database): CampaignStore {
  const { campaigns } = db;
  const byChallenge = campaigns.finder('challenge.id');
  const toBoth = (document: CampaignDocument | null = null): CampaignWithChallenge | null =>
    document && {
      campaign: campaigns.toItem(document),
      challenge: { ...document.challenge, campaignId: document._id },
    };
  return {
    async create(campaign, challenge) {
      const id = await takeIds(db, 'challenges');
      const stored = await campaigns.append({
        ...campaign,
        brandId: integer(campaign.brandId),
        pointsFixed: false,
        challenge: { id, ...challenge },
      });
      return { campaign: stored, challenge: { id, campaignId: stored.id, ...challenge } };
    },

    async find(which) {
      if (typeof which === 'number') return toBoth(await campaigns.raw.findOne({ _id: integer(which) }));
      return toBoth((await byChallenge(which.challengeId))[0]);
    },

    async ofPost({ platform, contentId }) {
      const about = equals({ 'challenge.contentId': contentId, 'challenge.platform': platform });
      const found = await campaigns.raw.find(about).sort({ _id: -1 }).limit(100).toArray();
      return found.flatMap((document) => toBoth(document) ?? []);
    },

    async list(page, { attemptOf, ...filter } = {}) {
      const chosen = chosenBy(filter);
      if (attemptOf === undefined) return campaigns.page(chosen, filter.sort ?? '-id', page);
      const tried = await db.attempts.raw.distinct('challengeId', { userId: integer(attemptOf) });
      return campaigns.page({ ...chosen, 'challenge.id': { $in: tried } }, filter.sort ?? '-id', page);
    },

    async update(before, changes) {
      const { id, isActive, pointsReward, startsAt, endsAt } = before;
      const asBefore = {
        ...equals({ _id: id, pointsReward }),
        isActive: isActive === true,
        startsAt: startsAt && instant(startsAt),
        endsAt: endsAt && instant(endsAt),
      };
      const stored = await campaigns.raw.findOne(asBefore);
      const both = toBoth(stored);
      if (stored === null || both === null) return null;
      // Which points there are is decided in the campaign's document, which `fixPoints` writes too.
      const isAboutFixed = changesWhatIsFixed(both, changes);
      if (isAboutFixed && stored.pointsFixed) return 'points-fixed';
      const update = changesOf(changes);
      if (update === null) return both;
      const target = { ...asBefore, ...(isAboutFixed && { pointsFixed: { $ne: true } }) };
      return toBoth(await campaigns.raw.findOneAndUpdate(target, update, { returnDocument: 'after' }));
    },

    async fixPoints(challengeId) {
      // From the second reward on it writes nothing, so that rewards do not wait for each other.
      const open = { 'challenge.id': integer(challengeId), pointsFixed: { $ne: true } };
      await campaigns.update(open, { $set: { pointsFixed: true } });
    },

    async delete(id) {
      const { terms } = (await campaigns.find({ _id: integer(id) })) ?? {};
      const outcome = await deleteUnlessAttempted(db, integer(id), (challengeId) =>
        notePurge(db, 'challenge', challengeId),
      );
      if (typeof outcome === 'string') return outcome;
      if (terms?.draw) await db.draws.delete({ _id: terms.draw.commitment });
      await removeHanging(db, 'challenge', [outcome.deleted]);
      return 'deleted';
    },
  };
}

const OF_CHALLENGE = ['instructionText', 'countHidden', 'rules', 'publishedBy', 'requires'];

/** What an item may lack is absent instead of null. Null if there is nothing to change. */
function changesOf(changes: CampaignChanges): Document | null {
  const update: { readonly $set: Document; readonly $unset: Document } = { $set: {}, $unset: {} };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const path = OF_CHALLENGE.includes(name) ? `challenge.${name}` : name;
    if (value === null && ['limits', 'terms', 'rules', 'requires'].includes(name)) update.$unset[path] = '';
    else update.$set[path] = value;
  }
  const given = Object.entries(update).filter(([, of]) => Object.keys(of).length > 0);
  return given.length === 0 ? null : checked(Object.fromEntries(given));
}
