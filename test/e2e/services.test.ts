/** Hosts that serve a part of the services: who may call and what was used is told by every one of them. */

import { describe, expect, it } from 'vitest';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { wholeProof } from '../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../support/test-ca.ts';

const root = issueRoot();
const bytes = (text: string) => new TextEncoder().encode(text);
const proof = () =>
  wholeProof({
    serverName: 'a.test',
    leaf: issueLeaf(root, ['a.test']),
    sent: bytes('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n'),
    received: bytes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
    seed: 1,
  });

const SERVICES = {
  engagement: { counts: {}, use: async () => {} },
  'web-prover': {
    counts: { verifications: 1 },
    use: async ({ api }: TestInstance, token: string) => {
      const { status, text } = await api.call('POST', '/api/v2.0/verify', { token, body: await proof() });
      expect(status, text).toBe(200);
    },
  },
  'zk-prover': {
    counts: { compressions: 1 },
    use: async ({ api }: TestInstance, token: string) => {
      const body = { presentation: await proof(), extraction: { 'response.body': { jmespath: ['@'] } } };
      const { status, text } = await api.call('POST', '/api/v2.0/evm/compress-web-proof', { token, body });
      expect(status, text).toBe(200);
    },
  },
  notary: { counts: {}, use: async () => {} },
} as const;

// Hosts do not know the services: each service on one of them, each host with two.
describe.each([
  ['fastify', ['engagement', 'zk-prover']],
  ['express', ['web-prover', 'notary']],
] as const)('on %s', (host, names) => {
  it.each(names)('%s alone tells what a token has used', async (name) => {
    const instance = await startInstance({
      host,
      config: {
        services: [name],
        extraRoots: [root.pem],
        zkProver: fakeProver(),
        notary: { key: { secret: new Uint8Array(32).fill(8) } },
        trustedNotaries: [{ fingerprint: notaryKey(new Uint8Array(32).fill(7)).fingerprint }],
      },
    });
    const made = await instance.api.call('POST', '/admin/tokens', { body: { name: 'mine', role: 'client' } });
    const token = String(made.json.data?.token);
    await SERVICES[name].use(instance, token);
    const { status, json } = await instance.api.call('GET', '/auth/usage', { token });
    expect([status, json.data]).toEqual([
      200,
      {
        period: { from: expect.any(String), to: expect.any(String) },
        batch: { billableUnits: 0, requests: 0 },
        lookups: { requests: 0 },
        webProofs: { proofs: 0, verifications: 0, compressions: 0, ...SERVICES[name].counts },
      },
    ]);
    expect((await instance.api.call('GET', '/auth/usage', { token: null })).status).toBe(401);
    const { paths } = (await instance.api.call('GET', '/openapi.json', { token: null })).json as { paths?: object };
    expect(Object.keys(paths ?? {})).toContain('/auth/usage');
    expect(Object.keys(paths ?? {}).includes('/v1/stats')).toBe(name === 'engagement');
    await instance.close();
  });
});
