/** Fastify with its own sessions, its own log and a document of its own routes. */
import type { AddressInfo } from 'node:net';
import swagger from '@fastify/swagger';
import { createCredence } from 'credence';
import { credenceFastify } from 'credence/fastify';
import { type FastifyRequest, fastify } from 'fastify';
import { config, identify, keepLedger, launch, listening, userOf, type WithUser } from './team.js';

const app = fastify({ logger: { level: 'info' } });
const credence = createCredence(config, { identify, logger: app.log });
const points = keepLedger(credence);

await app.register(swagger, { openapi: { info: { title: 'The team’s API', version: '1.0.0' } } });

await app.register(async (users) => {
  users.addHook('preHandler', async (request: FastifyRequest & WithUser, reply) => {
    const user = userOf(request.headers.cookie);
    if (user === undefined) return reply.code(401).send({ team: 'sign in first' });
    request.user = user;
  });
  users.post<{ Body: { targetUrl: string } }>('/launch', (request) => launch(credence, request.body.targetUrl));
  users.get('/points', async (request: FastifyRequest & WithUser) => ({
    points: points.get(request.user?.name ?? '') ?? 0,
  }));
  await users.register(credenceFastify(credence), { prefix: '/engagement' });
});
app.get('/openapi.json', async () => app.swagger());
app.addHook('onClose', () => credence.stop());
process.once('SIGTERM', () => app.close());

await credence.start();
await app.listen({ port: 0, host: '127.0.0.1' });
listening((app.server.address() as AddressInfo).port);
