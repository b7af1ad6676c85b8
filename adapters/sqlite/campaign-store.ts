import type { Campaign, CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import type { CampaignFilter, CampaignStore } from '../../core/ports/campaign-store.ts';
import type { Connection, Sql } from './database.ts';
import { type Condition, equals, type OrderedList, readPage } from './pages.ts';
import { finishPurges, notePurge } from './purges.ts';
import { CAMPAIGNS, CHALLENGES } from './tables.ts';
import { millis, type Value } from './values.ts';

function listIn(sort: CampaignFilter['sort'] = '-id'): OrderedList<Campaign> {
  const order = sort.endsWith('title') ? (['title', 'id'] as const) : (['id'] as const);
  return { table: CAMPAIGNS, order, direction: sort.startsWith('-') ? 'DESC' : 'ASC' };
}

/** Conditions by the time of the question, which is in the place of each `?`. */
const STATES = {
  upcoming: 'is_active = 1 AND starts_at > ? AND ifnull(ends_at > ?, TRUE)',
  running: 'is_active = 1 AND ifnull(starts_at <= ?, TRUE) AND ifnull(ends_at > ?, TRUE)',
  ended: '(is_active = 0 OR ends_at <= ?)',
} as const;

function conditionOf({ brandId, state, text, createdFrom, createdBefore }: CampaignFilter): Condition {
  const { where, values } = equals({ brand_id: brandId });
  const parts: (readonly [string, ...Value[]])[] = [[where, ...values]];
  if (state !== undefined) {
    const condition = STATES[state.name];
    const times = Array<number>(condition.split('?').length - 1).fill(millis(state.now));
    parts.push([condition, ...times]);
  }
  if (text !== undefined) parts.push(['instr(lower(title), lower(?)) > 0', text]);
  if (createdFrom !== undefined) parts.push(['created_at >= ?', millis(createdFrom)]);
  if (createdBefore !== undefined) parts.push(['created_at < ?', millis(createdBefore)]);
  return { where: parts.map(([text]) => text).join(' AND '), values: parts.flatMap(([, ...of]) => of) };
}

export function createCampaignStore(connection: Connection): CampaignStore {
  return {
    create: (given, its) =>
      connection.write((sql) => {
        const campaign = CAMPAIGNS.insert(sql, given);
        return { campaign, challenge: CHALLENGES.insert(sql, { ...its, campaignId: campaign.id }) };
      }),

    find: (which) =>
      connection.read((sql) =>
        typeof which === 'number' ? readBoth(sql, 'campaign_id', which) : readBoth(sql, 'id', which.challengeId),
      ),

    list: (page, filter = {}) =>
      connection.read((sql) => readPage(sql, listIn(filter.sort), conditionOf(filter), page)),

    update: (before, { instructionText, ...changes }) =>
      connection.write((sql) => {
        const stored = readBoth(sql, 'campaign_id', before.id);
        if (stored === null || !isAsBefore(before, stored.campaign)) return null;
        const { campaign, challenge } = stored;
        const hasOtherPoints = (changes.pointsReward ?? campaign.pointsReward) !== campaign.pointsReward;
        if (hasOtherPoints && CAMPAIGNS.count(sql, 'id = ? AND points_fixed = 1', campaign.id) > 0)
          return 'points-fixed';
        // A title stays in place for an empty change of the campaign: SQLite wants a column.
        CAMPAIGNS.update(sql, { title: campaign.title, ...changes }, 'WHERE id = ?', campaign.id);
        if (instructionText !== undefined) CHALLENGES.update(sql, { instructionText }, 'WHERE id = ?', challenge.id);
        return readBoth(sql, 'campaign_id', campaign.id);
      }),

    async fixPoints(challengeId) {
      const open = 'WHERE points_fixed = 0 AND id = (SELECT campaign_id FROM challenges WHERE id = ?)';
      const isOpen = await connection.read(
        (sql) => sql.get(`SELECT 1 FROM campaigns ${open}`, challengeId) !== undefined,
      );
      if (isOpen)
        await connection.write((sql) => void sql.run(`UPDATE campaigns SET points_fixed = 1 ${open}`, challengeId));
    },

    end: (id, now) =>
      connection.write((sql) => {
        sql.run(
          `UPDATE campaigns SET is_active = 0, ends_at = min(coalesce(ends_at, ?), ?) WHERE id = ? AND is_active = 1`,
          millis(now),
          millis(now),
          id,
        );
        return CAMPAIGNS.find(sql, 'WHERE id = ?', id);
      }),

    async delete(id) {
      const outcome = await connection.write((sql) => {
        const stored = readBoth(sql, 'campaign_id', id);
        if (stored === null) return 'not-found';
        const challengeId = stored.challenge.id;
        if (sql.get('SELECT 1 FROM attempts WHERE challenge_id = ? LIMIT 1', challengeId) !== undefined) {
          return 'has-attempts';
        }
        sql.run('DELETE FROM campaigns WHERE id = ?', id);
        notePurge(sql, 'challenge', challengeId);
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
function readBoth(sql: Sql, column: 'id' | 'campaign_id', id: number): CampaignWithChallenge | null {
  const challenge = CHALLENGES.find(sql, `WHERE ${column} = ?`, id);
  if (challenge === null) return null;
  const campaign = CAMPAIGNS.find(sql, 'WHERE id = ?', challenge.campaignId);
  return campaign && { campaign, challenge };
}
