/** Four routes by hand on bare Fastify: the same token check and schemas as Credence, one storage call each. */
import { createHash, timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idParam, pageQuery } from '../../../plugins/http/schemas.ts';

/** What a storage answers with is sent as it is. */
export interface BareStore {
  register(creator: {
    readonly externalId: string;
    readonly platform: string;
    readonly handle: string;
  }): Promise<object>;
  /** @throws Error without such a challenge or creator, or with an attempt of theirs */
  createAttempt(challengeId: number, externalId: string): Promise<object>;
  campaign(id: number): Promise<object>;
  comments(
    challengeId: number,
    limit: number,
    offset: number,
  ): Promise<{ readonly rows: object[]; readonly total: number }>;
  close(): Promise<void>;
}

const registerBody = z.object({
  externalId: z.string().min(1).max(255),
  platform: z.enum(['instagram', 'tiktok', 'youtube']),
  handle: z.string().min(1).max(100),
});
const attemptBody = z.object({ externalId: z.string().min(1).max(255) });

export function createBareServer(store: BareStore, token: string): FastifyInstance {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  const app = fastify();
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const given = /^Bearer +(\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined || !timingSafeEqual(hashOf(given), expected)) throw new Error('unauthorized');
  });
  app.post('/social-accounts', async (request, reply) => {
    return reply.code(201).send({ data: await store.register(registerBody.parse(request.body)) });
  });
  app.post('/admin/challenges/:challengeId/attempts', async (request, reply) => {
    const { challengeId } = z.object({ challengeId: idParam }).parse(request.params);
    const { externalId } = attemptBody.parse(request.body);
    return reply.code(201).send({ data: await store.createAttempt(challengeId, externalId) });
  });
  app.get('/campaigns/:id', async (request) => {
    const { id } = z.object({ id: idParam }).parse(request.params);
    return { data: await store.campaign(id) };
  });
  app.get('/admin/challenges/:challengeId/comments', async (request) => {
    const { challengeId } = z.object({ challengeId: idParam }).parse(request.params);
    const { page, limit } = pageQuery.parse(request.query);
    const { rows, total } = await store.comments(challengeId, limit, (page - 1) * limit);
    return { data: rows, pagination: { page, limit, total } };
  });
  return app;
}

/** An attempt as the database stores it and as Credence begins one. */
export function newAttemptFields(handle: string, now: Date) {
  return {
    state: 'created',
    retryCount: 0,
    maxRetries: 3,
    stateHistory: [{ state: 'created', at: now, reason: 'created' }],
    metadata: { origin: 'request', platformUsername: handle },
  } as const;
}
