import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createHttpNotary } from '../../adapters/http-notary/index.ts';
import { loadNotaryKey } from '../../adapters/local-notary/index.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { createProve, proveRequestSchema } from '../../core/web-proof/prove.ts';
import { createApp } from '../../hosts/standalone/app.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { listen } from '../support/listen.ts';
import { newFolder } from '../support/new-folder.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { isUnprovable } from '../support/unprovable.ts';
import { testVerifier } from '../support/verifier.ts';

const TOKEN = 'a-token-of-the-notary';
// The system's resolver knows `localhost`, which the notary host is told to allow.
const NAME = 'localhost';
const authority = createAuthority();
const { verify } = testVerifier(authority.root);
const folder = newFolder();
const keyFile = join(folder, 'keys', 'notary.key');
const opened: { close(): Promise<unknown> }[] = [];

const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, authority.root.pem);
const environment = readEnvironment({
  SERVICES: 'notary',
  STORAGE_URL: 'sqlite::memory:',
  NOTARY_KEY_FILE: keyFile,
  ADMIN_TOKEN: TOKEN,
  EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  TLS_EXTRA_CA_FILE: caFile,
});
const credence = createCredence((await hostConfig(environment, {})).config, { logger: silentLogger });
await credence.start();
const fingerprint = loadNotaryKey(keyFile).fingerprint;
const app = await createApp(credence);
opened.push({ close: () => credence.stop() }, app);
const label = `${await app.listen({ port: 0, host: '127.0.0.1' })}/v0.1.0-alpha.12`;
const origin = await startOrigin(authority, {
  certificate: authority.leaf({ dns: [NAME] }),
  answer: jsonAnswer({ secret: 'hidden-by-the-notary', n: 1 }),
});

afterAll(async () => {
  await origin[Symbol.asyncDispose]();
  await Promise.all(opened.map((resource) => resource.close()));
});

function remote(options: Partial<Parameters<typeof createHttpNotary>[0]> = {}): Notary {
  const notary = createHttpNotary({ url: label, token: TOKEN, fingerprint, verify, ...options });
  opened.push(notary);
  return notary;
}

const target = (path = '/?key=k3y-of-mine') => `https://${NAME}:${origin.port}${path}`;
const prove = (notary: Notary, body: Record<string, unknown> = {}) =>
  createProve({ notaries: [setUpProving(authority).notary, notary] })(
    proveRequestSchema.parse({ url: target(), notaryUrl: notary.url, ...body }),
    AbortSignal.timeout(10_000),
  );

describe('a remote notary', () => {
  it('proves on behalf of the caller, redacted', async () => {
    const proof = await prove(remote(), {
      headers: ['X-Key: s3cret-t0ken'],
      redaction: [
        { request: { headers: ['x-key'], url_query: ['key'] } },
        { response: { json_body: ['secret', 'secrte'] } },
      ],
    });
    expect(proof.meta).toEqual({
      notaryUrl: label,
      warnings: ['response.json_body: these match no field of the response, so they hide nothing: secrte.'],
    });
    const verified = await verify(proof);
    expect(verified.notaryKeyFingerprint).toBe(fingerprint);
    expect(verified.request.target).toBe('/?key=XXXXXXXXXXX');
    expect(verified.response.text).toBe('{"secret":"XXXXXXXXXXXXXXXXXXXX","n":1}');
    expect(origin.requests.at(-1)?.head).toContain('x-key: s3cret-t0ken');
  });

  it('is found by its address alone and with the version, in either case of its fingerprint', async () => {
    const address = label.replace('/v0.1.0-alpha.12', '');
    const upper = fingerprint.toUpperCase();
    for (const url of [address, `${address}/`, label, `${label}/`]) {
      const notary = remote({ url, fingerprint: upper });
      expect([notary.url, notary.fingerprint]).toEqual([label, fingerprint]);
      expect((await prove(notary, { notaryUrl: address })).meta.notaryUrl).toBe(label);
    }
    expect((await prove(remote({ url: address }), { notaryUrl: label })).meta.notaryUrl).toBe(label);
  });

  it('attests the values of queries', async () => {
    const notary = remote();
    const proof = await prove(notary);
    const attested = await notary.attestQueries?.(proof, ['n']);
    expect(attested?.length).toBe(97);
    await expect(notary.attestQueries?.(proof, ['('])).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('refuses callers without a token', async () => {
    const message = /^The remote notary does not accept the configured token\.$/;
    await isUnprovable(prove(remote({ token: 'not-a-token-of-it' })), message);
    expect((await fetch(`${label}/notarize`, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  it('is refused when its key is not the pinned one', async () => {
    await isUnprovable(prove(remote({ fingerprint: '0'.repeat(64) })), /signed by another key/);
  });

  it('is refused when its clock is wrong', async () => {
    const clock = { now: () => new Date(Date.now() + 3_600_000) };
    await isUnprovable(prove(remote({ clock })), /too far from now/);
  });

  it('must be reached over TLS when it is not on this machine, by a URL that everybody may read', () => {
    for (const url of [
      'http://notary.example/v0.1.0-alpha.12',
      'http://127.notary.example',
      'http://127.0.0.1.example',
    ]) {
      expect(() => remote({ url }), url).toThrow(/https/);
    }
    for (const url of ['http://127.1:7047', 'http://[::1]:7047', 'http://localhost', 'https://notary.example']) {
      expect(() => remote({ url }), url).not.toThrow();
    }
    for (const url of ['https://a.example/?b', 'https://me@a.example']) {
      expect(() => remote({ url }), url).toThrow(/no credentials, query or fragment/);
    }
  });
});

describe('a notary that answers something else', () => {
  /** Answers every request so. */
  async function answering(status: number, body: string, headers: http.OutgoingHttpHeaders = {}): Promise<Notary> {
    const server = http.createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    const listening = await listen(server);
    opened.push(listening);
    return remote({ url: listening.url });
  }

  const wrap = (data: unknown) => JSON.stringify({ apiVersion: 'v2.0', success: true, data });

  it('with the proof of another request is refused', async () => {
    const proof = await prove(remote(), { headers: ['x-key: one'] });
    const replaying = await answering(200, wrap(proof));
    await isUnprovable(prove(replaying, { headers: ['x-key: two'] }), /another request/);
    await isUnprovable(prove(replaying, { headers: ['x-key: three'] }), /./);
    await isUnprovable(prove(replaying, { url: 'https://other.test/' }), /another server/);
    await isUnprovable(
      prove(replaying, { headers: ['x-key: one'], redaction: [{ request: { headers: ['x-key'] } }] }),
      /does not hide/,
    );
    await expect(prove(replaying, { headers: ['x-key: one'] })).resolves.toMatchObject({ data: proof.data });
  });

  it.each([
    [200, 'not json'],
    [200, wrap({ data: '00', version: '0.1.0-alpha.12', meta: { notaryUrl: '' } })],
    [500, 'null'],
    [418, '{"error":{"code":"TEAPOT","message":"do not show this"}}'],
  ])('%i %s', async (status, body) => {
    const notary = await answering(status, body);
    await isUnprovable(prove(notary), /^The remote notary/);
    await expect(prove(notary)).rejects.not.toThrow(/do not show/);
  });

  it.each([
    ['{"error":{"code":"SERVICE_UNAVAILABLE","message":"The notary is busy."}}', 'The notary is busy.'],
    ['{}', 'The remote notary is not available.'],
  ])('that it is busy passes through: %s', async (body, message) => {
    const notary = await answering(503, body, { 'retry-after': '7' });
    await expect(prove(notary)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message, retryAfterSeconds: 7 });
  });

  it('with too much is refused', async () => {
    const notary = await answering(200, `"${'x'.repeat(5 * 1024 * 1024)}"`);
    await isUnprovable(prove(notary), /^The remote notary/);
  });
});
