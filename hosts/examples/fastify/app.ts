/**
 * Fastify with users of its own. Credence believes their sessions: staff run campaigns at `/engagement/console`. A creator posts
 * `{ "platform": "tiktok" }` to `/engagement/social-accounts/connect`, proves the account at the `redirectUrl` of the answer,
 * and then claims with a call in process. Rewards come as an event.
 */
import { createCredence } from 'credence';
import { credenceFastify } from 'credence/fastify';
import { type FastifyRequest, fastify } from 'fastify';

const { ADMIN_TOKEN, PORT = '3000', STORAGE_URL = 'sqlite:./data/credence.db', TIKTOK_BASE_URL } = process.env;

// Tables of your own database.
const sessions = new Map([
  ['session-of-olga', { id: 'olga', role: 'admin' as const }],
  ['session-of-ada', { id: 'ada', role: 'creator' as const }],
]);
const points = new Map<string, number>();
const booked = new Set<string>();

const userOf = ({ headers }: FastifyRequest) =>
  sessions.get(/(?:^|;\s*)session=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '');

const app = fastify({ logger: true });
const credence = createCredence(
  {
    storage: { url: STORAGE_URL },
    adminToken: ADMIN_TOKEN,
    // `npx credence simulator` in the place of TikTok.
    ...(TIKTOK_BASE_URL ? { platforms: { pacing: 'off', tiktok: { baseUrl: TIKTOK_BASE_URL } } } : {}),
  },
  {
    logger: app.log,
    identify(request) {
      const { headers } = request as FastifyRequest;
      if (headers.authorization !== undefined) return undefined; // a token: Credence checks it
      const user = userOf(request as FastifyRequest);
      if (user === undefined) return null; // 401
      const externalId = user.role === 'creator' ? user.id : null;
      return { role: user.role, externalId, tokenId: null, key: `user:${user.id}` };
    },
  },
);
credence.on(
  'reward.issued',
  async ({ data: { externalUserId = '', points: won }, messageId }) => {
    if (booked.has(messageId)) return; // an event can come twice
    booked.add(messageId);
    points.set(externalUserId, (points.get(externalUserId) ?? 0) + won);
  },
  { name: 'points' },
);

const claim = { type: 'object', required: ['challengeId'], properties: { challengeId: { type: 'integer' } } };
app.post<{ Body: { challengeId: number } }>('/claims', { schema: { body: claim } }, async (request) => {
  const externalId = userOf(request)?.id;
  if (externalId === undefined) throw Object.assign(new Error('Sign in first.'), { statusCode: 401 });
  const { challengeId } = request.body;
  const { id: attemptId } = await credence.attempts.create({ challengeId, externalId });
  return credence.attempts.progress({ challengeId, attemptId, action: 'claim_completion' });
});
app.get('/points', async (request) => ({ points: points.get(userOf(request)?.id ?? '') ?? 0 }));
await app.register(credenceFastify(credence), { prefix: '/engagement' });
app.addHook('onClose', () => credence.stop());
process.once('SIGTERM', () => app.close());

await credence.start();
console.log(`listening on ${await app.listen({ port: Number(PORT) })}`);
