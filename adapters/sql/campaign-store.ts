import type { Campaign, CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import {
  type CampaignFilter,
  type CampaignState,
  type CampaignStore,
  changesWhatIsFixed,
} from '../../core/ports/campaign-store.ts';
import { patternOf } from '../../core/ports/search-text.ts';
import { all, type Condition, equals, readPage, when } from './pages.ts';
import { finishPurges, notePurge } from './purges.ts';
import { BRANDS, CAMPAIGNS, CHALLENGES } from './tables.ts';
import { millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

/** By the time of the question. */
const STATES: Readonly<Record<CampaignState, (now: number) => Condition>> = {
  upcoming: (now) => when('is_active = 1 AND starts_at > ? AND coalesce(ends_at > ?, TRUE)', now, now),
  running: (now) => when('is_active = 1 AND coalesce(starts_at <= ?, TRUE) AND coalesce(ends_at > ?, TRUE)', now, now),
  ended: (now) => when('(is_active = 0 OR ends_at <= ?)', now),
};

const OF_CREATOR = `id IN (SELECT campaign_id FROM challenges WHERE id IN (
  SELECT challenge_id FROM attempts WHERE user_id = ?))`;

function conditionOf({ brandId, attemptOf, state, createdFrom, createdBefore }: CampaignFilter): Condition {
  return all(
    equals({ brand_id: brandId }),
    attemptOf !== undefined && when(OF_CREATOR, attemptOf),
    state && STATES[state.name](millis(state.now)),
    createdFrom && when('created_at >= ?', millis(createdFrom)),
    createdBefore && when('created_at < ?', millis(createdBefore)),
  );
}

export function createCampaignStore(connection: SqlConnection): CampaignStore {
  const challenges = {
    ofCampaign: CHALLENGES.finder(connection, 'campaign_id'),
    byId: CHALLENGES.finder(connection, 'id'),
  };
  const byId = CAMPAIGNS.finder(connection, 'id');
  return {
    create: (given, its) =>
      connection.write(function* (sql) {
        // Its deletion waits, and then counts this campaign too.
        yield* BRANDS.holds(sql, 'id = ?', given.brandId);
        const campaign = yield* CAMPAIGNS.insert(sql, given);
        return { campaign, challenge: yield* CHALLENGES.insert(sql, { ...its, campaignId: campaign.id }) };
      }),

    async find(which) {
      const found = typeof which === 'number' ? challenges.ofCampaign(which) : challenges.byId(which.challengeId);
      const [challenge] = await found;
      const [campaign] = challenge === undefined ? [] : await byId(challenge.campaignId);
      return challenge && campaign ? { campaign, challenge } : null;
    },

    ofPost: ({ platform, contentId }) =>
      connection.read(function* (sql) {
        const which = 'WHERE content_id = ? AND platform = ? ORDER BY id DESC LIMIT 100';
        const challenges = yield* CHALLENGES.select(sql, which, contentId, platform);
        const ids = new Among(challenges.map(({ campaignId }) => campaignId));
        const campaigns = yield* CAMPAIGNS.select(sql, 'WHERE id IN (?)', ids);
        const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
        return challenges.flatMap((challenge) => {
          const campaign = byId.get(challenge.campaignId);
          return campaign === undefined ? [] : [{ campaign, challenge }];
        });
      }),

    list: (page, { text, sort = '-id', ...filter } = {}) =>
      connection.read(function* (sql) {
        let chosen = conditionOf(filter);
        if (text !== undefined) {
          const titles = `SELECT id, title FROM campaigns WHERE ${chosen.where}`;
          const found = yield* sql.all<Pick<Campaign, 'id' | 'title'>>(titles, ...chosen.values);
          const pattern = new RegExp(patternOf(text), 'iu');
          chosen = when('id IN (?)', new Among(found.filter(({ title }) => pattern.test(title)).map(({ id }) => id)));
        }
        return yield* readPage(sql, CAMPAIGNS, sort, chosen, page);
      }),

    update: (before, changes) =>
      connection.write(function* (sql) {
        yield* CAMPAIGNS.find(sql, 'WHERE id = ? FOR UPDATE', before.id);
        const stored = yield* readBoth(sql, before.id);
        if (stored === null || !isAsBefore(before, stored.campaign)) return null;
        const { campaign, challenge } = stored;
        const isFixed = 'id = ? AND points_fixed = 1';
        if (changesWhatIsFixed(stored, changes) && (yield* CAMPAIGNS.count(sql, isFixed, campaign.id)) > 0)
          return 'points-fixed';
        const { instructionText, countHidden, rules, publishedBy, requires, ...ofCampaign } = changes;
        yield* CAMPAIGNS.update(sql, ofCampaign, 'WHERE id = ?', campaign.id);
        const ofChallenge = { instructionText, countHidden, rules, publishedBy, requires };
        yield* CHALLENGES.update(sql, ofChallenge, 'WHERE id = ?', challenge.id);
        return yield* readBoth(sql, campaign.id);
      }),

    async fixPoints(challengeId) {
      const open = 'WHERE points_fixed = 0 AND id = (SELECT campaign_id FROM challenges WHERE id = ?)';
      const isOpen = await connection.read((sql) => sql.get(`SELECT 1 FROM campaigns ${open}`, challengeId));
      if (isOpen !== undefined)
        await connection.statement((sql) => sql.run(`UPDATE campaigns SET points_fixed = 1 ${open}`, challengeId));
    },

    async delete(id) {
      const outcome = await connection.write(function* (sql) {
        const stored = yield* readBoth(sql, id);
        if (stored === null) return 'not-found';
        const challengeId = stored.challenge.id;
        // Attempts that are being created come first, or after the deletion.
        yield* CHALLENGES.find(sql, 'WHERE id = ? FOR UPDATE', challengeId);
        if ((yield* sql.get('SELECT 1 FROM attempts WHERE challenge_id = ? LIMIT 1', challengeId)) !== undefined) {
          return 'has-attempts';
        }
        const changes = yield* sql.run('DELETE FROM campaigns WHERE id = ?', id);
        if (changes === 0) return 'not-found';
        const { draw } = stored.campaign.terms ?? {};
        if (draw) yield* sql.run('DELETE FROM draws WHERE commitment = ?', draw.commitment);
        yield* notePurge(sql, 'challenge', challengeId);
        return 'deleted';
      });
      if (outcome === 'deleted') await finishPurges(connection);
      return outcome;
    },
  };
}

function isAsBefore(before: Campaign, stored: Campaign): boolean {
  const facts = ({ isActive, pointsReward, startsAt, endsAt }: Campaign) =>
    [isActive, pointsReward, startsAt?.getTime(), endsAt?.getTime()].join();
  return facts(before) === facts(stored);
}

/** A challenge whose campaign is gone meanwhile is not found. */
function* readBoth(sql: Sql, id: number): Work<CampaignWithChallenge | null> {
  const challenge = yield* CHALLENGES.find(sql, 'WHERE campaign_id = ?', id);
  const campaign = yield* CAMPAIGNS.find(sql, 'WHERE id = ?', id);
  return challenge && campaign && { campaign, challenge };
}
