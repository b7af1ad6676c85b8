/** What a host on loopback lets webhooks reach on its own machine, and for whom. */
import { afterAll, expect, it } from 'vitest';
import { localReceivers } from '../../hosts/standalone/local-receivers.ts';
import { startInstance } from '../support/instance.ts';

const instance = await startInstance({ config: { egress: {} }, options: { modules: [localReceivers] } });
afterAll(() => instance.close());

it('lets admins reach a receiver there, and no brand', async () => {
  const { api, receiver } = instance;
  const { json: brand } = await api.call('POST', '/admin/brands', { body: { name: 'B', slug: 'b' } });
  const id = Number(brand.data?.id);
  const { json: token } = await api.call('POST', '/admin/tokens', { body: { name: 'b', role: 'brand', brandId: id } });
  const hooks = `/admin/brands/${id}/webhooks`;
  const register = (url: string, as?: string) =>
    api.call('POST', hooks, { body: { url, events: ['reward.issued'] }, ...(as === undefined ? {} : { token: as }) });
  const { status, json } = await register(receiver.url);
  expect(status).toBe(201);
  await api.call('POST', `${hooks}/${json.data?.id}/test`);
  await receiver.waitFor(1);
  expect((await register('http://localhost:4000/')).status).toBe(201);
  expect((await register('http://[::1]:4000/')).status).toBe(201);
  const brands = String(token.data?.token);
  for (const url of [receiver.url, 'http://localhost:4000/', 'http://[::1]:4000/']) {
    expect((await register(url, brands)).status, url).toBe(400);
  }
  const moved = { body: { url: 'http://127.0.0.1:4000/' }, token: brands };
  expect((await api.call('PATCH', `${hooks}/${json.data?.id}`, moved)).status).toBe(400);
  // Nothing else that is private, and no port of the system.
  for (const url of [
    'http://127.0.0.1/',
    'http://127.0.0.2:4000/',
    'http://10.0.0.1:4000/',
    'http://x.localhost:80/',
  ]) {
    expect((await register(url)).status, url).toBe(400);
  }
});
