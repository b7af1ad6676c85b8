import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { createHttpNotary } from '../../../adapters/http-notary/index.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { credenceFastify } from '../../../plugins/fastify/index.ts';
import { createDispatcher } from '../../../plugins/http/dispatcher.ts';
import { createNotaryRoutes } from '../../../plugins/http/routes/notary.ts';
import { setUpProving } from '../../support/proving.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../support/tls-origin.ts';
import { type NotaryWorld, notaryContract } from './suite.ts';

async function startLocal(): Promise<NotaryWorld> {
  const authority = createAuthority();
  const origin = await startOrigin(authority, {
    answer: ({ target }, socket) =>
      target === '/silent' ? 'keepOpen' : socket.write(jsonAnswer('{"secret":"kept-by-the-server","n":1}')),
  });
  const lookup = async (name: string) => {
    if (name.endsWith('.invalid')) throw new Error('ENOTFOUND');
    return [{ address: name === 'private.test' ? '10.0.0.1' : '127.0.0.1' }];
  };
  const { notary, verify } = setUpProving(authority, { guard: createEgressGuard({ allow: ['127.0.0.0/8'], lookup }) });
  return {
    notary,
    verify,
    url: origin.url('/path?a=b'),
    silentUrl: origin.url('/silent'),
    async close() {
      await notary.close();
      await origin[Symbol.asyncDispose]();
    },
  };
}

async function startRemote(): Promise<NotaryWorld> {
  const local = await startLocal();
  const app = fastify();
  await app.register(
    credenceFastify({
      routes: createNotaryRoutes({ notary: async () => local.notary }),
      dispatcher: createDispatcher({
        authenticate: async () => ({ role: 'client', tokenId: null, externalId: null, key: 'test' }),
        limiter: createMemoryRateLimiter(),
        logger: silentLogger,
      }),
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const notary = createHttpNotary({
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v0.1.0-alpha.12`,
    token: 'any',
    fingerprint: local.notary.fingerprint,
    verify: local.verify,
  });
  return {
    ...local,
    notary,
    async close() {
      await notary.close();
      await app.close();
      await local.close();
    },
  };
}

notaryContract({ name: 'local', start: startLocal });
notaryContract({ name: 'remote', start: startRemote });
