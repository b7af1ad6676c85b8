/**
 * What Credence is compared with: routes by hand on the bare framework, with the same token check, schemas and log line, and one call
 * of the raw driver each.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Logger } from '../../core/ports/logger.ts';
import { idParam, pageQuery } from '../../plugins/http/schemas.ts';

/** Rows are sent as they are. */
export interface BareStore {
  campaign(id: number): Promise<object>;
  campaigns(limit: number, offset: number): Promise<Page>;
  comments(challengeId: number, limit: number, offset: number): Promise<Page>;
  register(creator: z.output<typeof registerBody>): Promise<object>;
  /** @throws Error without such a challenge or creator, or with an attempt of theirs */
  createAttempt(challengeId: number, externalId: string): Promise<object>;
  close(): Promise<void>;
}

interface Page {
  readonly rows: readonly object[];
  readonly total: number;
}

export interface BareOptions {
  readonly store: BareStore;
  readonly token: string;
  readonly logger: Logger;
}

interface BareRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: { readonly authorization?: string | undefined };
}

interface BareRoute {
  readonly method: 'get' | 'post';
  /** In the spelling that both frameworks share. */
  readonly path: string;
  handle(request: BareRequest): Promise<{ readonly status: number; readonly body: unknown }>;
}

const registerBody = z.object({
  externalId: z.string().min(1).max(255),
  platform: z.enum(['instagram', 'tiktok', 'youtube']),
  handle: z.string().min(1).max(100),
});
const attemptBody = z.object({ externalId: z.string().min(1).max(255) });
const campaignParams = z.object({ id: idParam });
const challengeParams = z.object({ challengeId: idParam });

function bareRoutes({ store, token, logger }: BareOptions): readonly BareRoute[] {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  const route = (
    method: BareRoute['method'],
    path: string,
    answer: (request: BareRequest) => Promise<unknown>,
  ): BareRoute => ({
    method,
    path,
    async handle(request) {
      const startedAt = performance.now();
      const given = /^Bearer +(\S+)$/.exec(request.headers.authorization ?? '')?.[1];
      const isKnown = given !== undefined && timingSafeEqual(hashOf(given), expected);
      const body = isKnown ? await answer(request) : { error: { code: 'UNAUTHORIZED' } };
      const status = isKnown ? (method === 'get' ? 200 : 201) : 401;
      const ms = Math.round(performance.now() - startedAt);
      const fields = { requestId: randomUUID(), method, route: path, status, caller: 'token:configured', ms };
      logger.info(fields, 'request');
      return { status, body };
    },
  });
  const pageOf = async (query: unknown, read: (limit: number, offset: number) => Promise<Page>) => {
    const { page, limit } = pageQuery.parse(query);
    const { rows, total } = await read(limit, (page - 1) * limit);
    return { data: rows, pagination: { page, limit, total } };
  };
  return [
    route('get', '/campaigns', ({ query }) => pageOf(query, store.campaigns)),
    route('get', '/campaigns/:id', async ({ params }) => ({
      data: await store.campaign(campaignParams.parse(params).id),
    })),
    route('get', '/admin/challenges/:challengeId/comments', ({ params, query }) => {
      const { challengeId } = challengeParams.parse(params);
      return pageOf(query, (limit, offset) => store.comments(challengeId, limit, offset));
    }),
    route('post', '/social-accounts', async ({ body }) => ({ data: await store.register(registerBody.parse(body)) })),
    route('post', '/admin/challenges/:challengeId/attempts', async ({ params, body }) => {
      const { challengeId } = challengeParams.parse(params);
      return { data: await store.createAttempt(challengeId, attemptBody.parse(body).externalId) };
    }),
  ];
}

export function createBareFastify(options: BareOptions): FastifyInstance {
  const app = fastify();
  for (const { method, path, handle } of bareRoutes(options)) {
    app[method](path, async (request, reply) => {
      const { status, body } = await handle(request);
      return reply.code(status).send(body);
    });
  }
  return app;
}

export function createBareExpress(options: BareOptions): Express {
  // Credence sends no ETag, so hashing the body would be work on one side only.
  const app = express().disable('x-powered-by').disable('etag');
  for (const { method, path, handle } of bareRoutes(options)) {
    app[method](path, async (request, response) => {
      const { status, body } = await handle(request as BareRequest);
      response.status(status).json(body);
    });
  }
  return app;
}
