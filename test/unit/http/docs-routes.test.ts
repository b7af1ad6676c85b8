/** The interactive documentation over HTTP. */

import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { createCredence } from '../../../plugins/compose/index.ts';

const credence = createCredence({
  services: ['engagement', 'web-prover', 'zk-prover'],
  secrets: { key: new Uint8Array(32) },
  publicUrl: 'https://credence.example/engagement',
  notary: { key: { secret: new Uint8Array(32).fill(7) } },
  zkProver: fakeProver(),
});
const ask = (path: string, headers: Record<string, string> = {}) =>
  credence.fetch(new Request(`http://localhost${path}`, { headers }));

describe('/docs', () => {
  it('calls the API at its public URL only', async () => {
    const policy = (await ask('/docs')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("connect-src 'self' https://credence.example;");
    expect(policy).not.toContain('unsafe-eval');
  });

  it('serves the script once, compressed for those who take it', async () => {
    const [, path = ''] = /src="(docs\/scripts\/[^"]+)"/.exec(await (await ask('/docs')).text()) ?? [];
    const plain = await ask(`/${path}`);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('vary')).toBe('accept-encoding');
    const bytes = Buffer.from(await plain.arrayBuffer());
    const etag = plain.headers.get('etag') ?? '';
    for (const coding of ['gzip', 'br, gzip;q=0.5', '*', 'X-GZIP', '*;q=0, gzip']) {
      const packed = await ask(`/${path}`, { 'accept-encoding': coding });
      expect(packed.headers.get('content-encoding'), coding).toBe('gzip');
      expect(gunzipSync(await packed.arrayBuffer()).equals(bytes)).toBe(true);
    }
    for (const coding of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.00', 'gzipped', '*;q=0', 'gzip;q=0, *']) {
      expect((await ask(`/${path}`, { 'accept-encoding': coding })).headers.get('content-encoding'), coding).toBeNull();
    }
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const answer = await ask(`/${path}`, { 'if-none-match': known });
      expect([answer.status, await answer.text(), answer.headers.get('etag')], known).toEqual([304, '', etag]);
    }
    expect((await ask(`/${path}`, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask('/docs/scripts/reader-0123456789abcdef.js')).status).toBe(404);
  });
});
