/** NestJS on Fastify. */
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { credenceFastify } from 'credence/fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppModule, CredenceService } from './nest.js';
import { listening, userOf, type WithUser } from './team.js';

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: ['error', 'warn'],
});
app.enableShutdownHooks();
app
  .getHttpAdapter()
  .getInstance()
  .addHook('onRequest', async (request: FastifyRequest & WithUser, reply: FastifyReply) => {
    const user = userOf(request.headers.cookie);
    if (user === undefined) return reply.code(401).send({ team: 'sign in first' });
    request.user = user;
  });
await app.register(credenceFastify(app.get(CredenceService).credence), { prefix: '/engagement' });
await app.listen(0, '127.0.0.1');
listening((app.getHttpServer().address() as AddressInfo).port);
