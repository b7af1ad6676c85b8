/**
 * What Credence is compared with. The three routes are written by hand on the bare framework. They have the same token check, the
 * same schemas and the same queries on the raw driver. They answer the same bytes of JSON, and write the same line into the log.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type Database from 'better-sqlite3';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import type { ZodType } from 'zod';
import { z } from 'zod';
import type { Logger } from '../../../core/ports/logger.ts';
import { idParam, pageQuery } from '../../../plugins/http/schemas.ts';

export interface BareOptions {
  readonly db: Database.Database;
  readonly token: string;
  readonly logger: Logger;
}

interface BareRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly authorization: string | undefined;
}

interface BareAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The line that Credence writes, by the same logger. */
function logged(logger: Logger, route: string, handle: BareHandler): BareHandler {
  return (request) => {
    const startedAt = performance.now();
    const answer = handle(request);
    const { status } = answer;
    const ms = Math.round(performance.now() - startedAt);
    logger.info({ requestId: randomUUID(), method: 'GET', route, status, caller: 'token:configured', ms }, 'request');
    return answer;
  };
}

type BareHandler = (request: BareRequest) => BareAnswer;

interface CampaignRow {
  readonly isActive: number;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly createdAt: number;
}

interface CommentRow {
  readonly commentedAt: number;
  readonly createdAt: number;
}

const CAMPAIGN = `id, brand_id AS brandId, title, description, image_url AS imageUrl, points_reward AS pointsReward,
  is_active AS isActive, starts_at AS startsAt, ends_at AS endsAt, created_at AS createdAt`;

/** The handlers by path, in the spelling that both frameworks share. */
function bareRoutes({ db, token }: BareOptions): ReadonlyMap<string, BareHandler> {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  const campaign = db.prepare<[number], CampaignRow>(`SELECT ${CAMPAIGN} FROM campaigns WHERE id = ?`);
  const challenge = db.prepare<
    [number],
    object
  >(`SELECT id, campaign_id AS campaignId, platform, content_type AS contentType,
    content_id AS contentId, canonical_url AS canonicalUrl, instruction_text AS instructionText
    FROM challenges WHERE campaign_id = ?`);
  const campaigns = db.prepare<[number, number], CampaignRow>(
    `SELECT ${CAMPAIGN} FROM campaigns ORDER BY id DESC LIMIT ? OFFSET ?`,
  );
  const campaignCount = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM campaigns');
  const comments = db.prepare<[number, number, number], CommentRow>(
    `SELECT id, platform_comment_id AS platformCommentId, author_id AS authorId, username, comment_text AS commentText,
      commented_at AS commentedAt, created_at AS createdAt
      FROM comments WHERE challenge_id = ? ORDER BY commented_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const commentCount = db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM comments WHERE challenge_id = ?');

  function guarded(handle: (request: BareRequest) => unknown): BareHandler {
    return (request) => {
      const given = /^Bearer +(\S+)$/.exec(request.authorization ?? '')?.[1];
      if (given === undefined || !timingSafeEqual(hashOf(given), expected)) {
        return { status: 401, body: { error: { code: 'UNAUTHORIZED' } } };
      }
      try {
        return { status: 200, body: handle(request) };
      } catch (error) {
        return { status: error instanceof z.ZodError ? 400 : 500, body: { error: { code: 'FAILED' } } };
      }
    };
  }
  const parse = <T extends ZodType>(schema: T, value: unknown): z.output<T> => schema.parse(value);
  const campaignParams = z.object({ id: idParam });
  const challengeParams = z.object({ challengeId: idParam });

  return new Map<string, BareHandler>([
    [
      '/campaigns',
      guarded(({ query }) => {
        const { page, limit } = parse(pageQuery, query);
        const rows = campaigns.all(limit, (page - 1) * limit);
        const total = campaignCount.get()?.n ?? 0;
        return { data: rows.map(campaignView), pagination: { page, limit, total } };
      }),
    ],
    [
      '/campaigns/:id',
      guarded(({ params }) => {
        const { id } = parse(campaignParams, params);
        const row = campaign.get(id);
        if (row === undefined) throw new Error('not found');
        return { data: { ...campaignView(row), challenge: challenge.get(id), myAttempt: null } };
      }),
    ],
    [
      '/admin/challenges/:challengeId/comments',
      guarded(({ params, query }) => {
        const { challengeId } = parse(challengeParams, params);
        const { page, limit } = parse(pageQuery, query);
        const rows = comments.all(challengeId, limit, (page - 1) * limit);
        const total = commentCount.get(challengeId)?.n ?? 0;
        const data = rows.map((row) => ({ ...row, commentedAt: iso(row.commentedAt), createdAt: iso(row.createdAt) }));
        return { data, pagination: { page, limit, total } };
      }),
    ],
  ]);
}

export function createBareFastify(options: BareOptions): FastifyInstance {
  const app = fastify();
  for (const [url, bare] of bareRoutes(options)) {
    const handle = logged(options.logger, url, bare);
    app.get(url, async (request, reply) => {
      const { params, query } = request;
      const { status, body } = handle({ params, query, authorization: request.headers.authorization });
      return reply.code(status).send(body);
    });
  }
  return app;
}

export function createBareExpress(options: BareOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  // Credence sends no ETag, so hashing the body would be work on one side only.
  app.disable('etag');
  for (const [url, bare] of bareRoutes(options)) {
    const handle = logged(options.logger, url, bare);
    app.get(url, (request, response) => {
      const { params, query } = request;
      const { status, body } = handle({ params, query, authorization: request.headers.authorization });
      response.status(status).json(body);
    });
  }
  return app;
}

function campaignView(row: CampaignRow): object {
  return {
    ...row,
    isActive: row.isActive === 1,
    startsAt: row.startsAt === null ? null : iso(row.startsAt),
    endsAt: row.endsAt === null ? null : iso(row.endsAt),
    createdAt: iso(row.createdAt),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
