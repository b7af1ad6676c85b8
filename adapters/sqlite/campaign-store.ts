import type { Campaign, CampaignWithChallenge, Challenge } from '../../core/engagement/campaigns/campaign.ts';
import type { CampaignStore } from '../../core/ports/campaign-store.ts';
import { filteredCampaigns } from './campaign-lists.ts';
import type { Connection, Sql } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import type { Purges } from './purges.ts';
import { flag, millis, millisOrNull, pageOf, toDate, toDateOrNull } from './values.ts';

interface CampaignRow extends Omit<Campaign, 'isActive' | 'startsAt' | 'endsAt' | 'createdAt'> {
  readonly isActive: number;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly createdAt: number;
}

const CAMPAIGN = `id, brand_id AS brandId, title, description, image_url AS imageUrl, points_reward AS pointsReward,
  is_active AS isActive, starts_at AS startsAt, ends_at AS endsAt, created_at AS createdAt`;

const NEWEST_FIRST: Omit<OrderedList, 'where'> = {
  select: `SELECT ${CAMPAIGN} FROM campaigns`,
  from: 'campaigns',
  order: ['id'],
  direction: 'DESC',
};

function toCampaign(row: CampaignRow): Campaign {
  return {
    ...row,
    isActive: row.isActive === 1,
    startsAt: toDateOrNull(row.startsAt),
    endsAt: toDateOrNull(row.endsAt),
    createdAt: toDate(row.createdAt),
  };
}

function readCampaign(sql: Sql, id: number): Campaign | null {
  const row = sql.get<CampaignRow>(`SELECT ${CAMPAIGN} FROM campaigns WHERE id = ?`, id);
  return row === undefined ? null : toCampaign(row);
}

interface BothRow extends Omit<CampaignRow, 'id'>, Omit<Challenge, 'id'> {
  readonly challengeId: number;
}

/** One statement: each takes and gives back the lock of readers. */
const BOTH = `SELECT brand_id AS brandId, title, description, image_url AS imageUrl, points_reward AS pointsReward,
    is_active AS isActive, starts_at AS startsAt, ends_at AS endsAt, created_at AS createdAt, challenges.id AS challengeId,
    campaign_id AS campaignId, platform, content_type AS contentType, content_id AS contentId,
    canonical_url AS canonicalUrl, instruction_text AS instructionText, action
  FROM challenges JOIN campaigns ON campaigns.id = campaign_id`;

const BOTH_OF_CAMPAIGN = `${BOTH} WHERE campaign_id = ?`;
const BOTH_OF_CHALLENGE = `${BOTH} WHERE challenges.id = ?`;

function readBoth(sql: Sql, text: string, id: number): CampaignWithChallenge | null {
  const row = sql.get<BothRow>(text, id);
  if (row === undefined) return null;
  const { challengeId, campaignId, platform, contentType, contentId, canonicalUrl, instructionText, action } = row;
  return {
    campaign: {
      id: campaignId,
      brandId: row.brandId,
      title: row.title,
      description: row.description,
      imageUrl: row.imageUrl,
      pointsReward: row.pointsReward,
      isActive: row.isActive === 1,
      startsAt: toDateOrNull(row.startsAt),
      endsAt: toDateOrNull(row.endsAt),
      createdAt: toDate(row.createdAt),
    },
    challenge: {
      id: challengeId,
      campaignId,
      platform,
      contentType,
      contentId,
      canonicalUrl,
      instructionText,
      action,
    },
  };
}

export function createCampaignStore(connection: Connection, purges: Purges): CampaignStore {
  return {
    create: (campaign, challenge) =>
      connection.write((sql) => {
        const { id } = sql.run(
          `INSERT INTO campaigns (brand_id, title, description, image_url, points_reward, is_active, starts_at, ends_at,
            created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          campaign.brandId,
          campaign.title,
          campaign.description,
          campaign.imageUrl,
          campaign.pointsReward,
          flag(campaign.isActive),
          millisOrNull(campaign.startsAt),
          millisOrNull(campaign.endsAt),
          millis(campaign.createdAt),
        );
        sql.run(
          `INSERT INTO challenges (campaign_id, platform, content_type, content_id, canonical_url, instruction_text, action)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
          id,
          challenge.platform,
          challenge.contentType,
          challenge.contentId,
          challenge.canonicalUrl,
          challenge.instructionText,
          challenge.action,
        );
        const stored = readBoth(sql, BOTH_OF_CAMPAIGN, id);
        if (stored === null) throw new Error('A campaign that was just inserted is missing.');
        return stored;
      }),

    // No snapshot is needed: a challenge never changes, and one whose campaign is gone by then is not found.
    find: (id) => connection.read((sql) => readBoth(sql, BOTH_OF_CAMPAIGN, id)),
    findByChallenge: (challengeId) => connection.read((sql) => readBoth(sql, BOTH_OF_CHALLENGE, challengeId)),

    list(page, filter = {}) {
      const { where, values } = filteredCampaigns(filter);
      return connection.read((sql) =>
        pageOf(readPage<CampaignRow>(sql, { ...NEWEST_FIRST, where }, values, page), toCampaign),
      );
    },

    end: (id, now) =>
      connection.write((sql) => {
        sql.run(
          `UPDATE campaigns SET is_active = 0, ends_at = min(coalesce(ends_at, ?), ?) WHERE id = ? AND is_active = 1`,
          millis(now),
          millis(now),
          id,
        );
        return readCampaign(sql, id);
      }),

    async delete(id) {
      const outcome = await connection.write((sql) => {
        const stored = readBoth(sql, BOTH_OF_CAMPAIGN, id);
        if (stored === null) return 'not-found';
        const challengeId = stored.challenge.id;
        if (sql.get('SELECT 1 FROM attempts WHERE challenge_id = ? LIMIT 1', challengeId) !== undefined) {
          return 'has-attempts';
        }
        sql.run('DELETE FROM campaigns WHERE id = ?', id);
        purges.note(sql, 'challenge', challengeId);
        return challengeId;
      });
      if (typeof outcome !== 'number') return outcome;
      await purges.run('challenge', outcome);
      return 'deleted';
    },
  };
}
