/** What a host cannot start faster than: Fastify with one route, listening. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

const app = fastify();
app.get('/healthz', async () => ({ status: 'ok' }));
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
