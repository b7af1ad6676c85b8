/** The page about running Credence: a host with a notary of its own, set up as the page says. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadNotaryKey } from '../../../adapters/local-notary/index.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { createApp } from '../../../hosts/standalone/app.ts';
import { readEnvironment } from '../../../hosts/standalone/environment.ts';
import { hostConfig } from '../../../hosts/standalone/host-config.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { type ApiClient, createApiClient } from '../../support/client.ts';
import { startHost } from '../../support/hosts.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../../support/tls-origin.ts';

const page = readFileSync(new URL('../../../docs/operation.md', import.meta.url), 'utf8');
const [remoteNotaries = '', trustedNotaries = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, json]) => json,
);

const ADMIN_TOKEN = 'an-admin-token-of-this-test';
const NOTARY_TOKEN = 'a-token-of-the-notary';
const cleanups: (() => unknown)[] = [];
let fingerprint: string;
let notaryAddress: string;
let trustedFile: string;
let origin: TlsOrigin;
let api: ApiClient;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'credence-operation-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = createAuthority();
  origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: jsonAnswer({ n: 1 }),
  });
  cleanups.push(() => origin[Symbol.asyncDispose]());
  const shared = {
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    TLS_EXTRA_CA_FILE: file('ca.pem', authority.root.pem),
  };
  const keyFile = join(folder, 'its.key');
  const ofNotary = readEnvironment({
    ...shared,
    SERVICES: 'notary',
    STORAGE_URL: 'sqlite::memory:',
    NOTARY_KEY_FILE: keyFile,
    ADMIN_TOKEN: NOTARY_TOKEN,
  });
  const notary = createCredence((await hostConfig(ofNotary)).config, { logger: silentLogger });
  cleanups.push(() => notary.stop());
  await notary.start();
  fingerprint = loadNotaryKey(keyFile).fingerprint;
  const app = await createApp(notary);
  cleanups.push(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  notaryAddress = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const DAY = 86_400_000;
  const fill = (json: string) =>
    json
      .replaceAll('https://notary.example', notaryAddress)
      .replaceAll('a token of it', NOTARY_TOKEN)
      .replaceAll('64 hex digits', fingerprint)
      .replaceAll('2026-01-01T00:00:00Z', new Date(Date.now() - DAY).toISOString())
      .replaceAll('2027-01-01T00:00:00Z', new Date(Date.now() + DAY).toISOString());
  trustedFile = file('trusted.json', fill(trustedNotaries));
  const environment = readEnvironment({
    ...shared,
    ADMIN_TOKEN,
    DATA_DIR: folder,
    SERVICES: 'web-prover',
    REMOTE_NOTARIES_FILE: file('remote.json', fill(remoteNotaries)),
    TRUSTED_NOTARIES_FILE: trustedFile,
  });
  const credence = createCredence((await hostConfig(environment)).config, { logger: silentLogger });
  cleanups.push(() => credence.stop());
  await credence.start();
  const host = await startHost('fastify', credence);
  cleanups.push(() => host.close());
  api = createApiClient(host.baseUrl, ADMIN_TOKEN);
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function proveAndVerify(fields: Readonly<Record<string, string>>) {
  const proof = await api.call('POST', '/api/v2.0/prove', {
    body: { url: `https://localhost:${origin.port}/`, ...fields },
  });
  expect(proof.status, proof.text).toBe(200);
  const verified = await api.call('POST', '/api/v2.0/verify', { body: proof.json.data });
  expect(verified.status, verified.text).toBe(200);
  return { proof: proof.json.data, verified: verified.json.data };
}

describe('a notary of its own, as the page sets it up', () => {
  it('proves when it is named, and its proofs are trusted', async () => {
    const [, named = ''] = /"notaryUrl": "(https:[^"]+)"/.exec(page) ?? [];
    expect(named).toMatch(/^https:\/\/notary\.example/);
    for (const notaryUrl of [
      named.replace('https://notary.example', notaryAddress),
      `${notaryAddress}/v0.1.0-alpha.12`,
    ]) {
      const { proof, verified } = await proveAndVerify({ notaryUrl });
      expect(proof).toMatchObject({ meta: { notaryUrl: `${notaryAddress}/v0.1.0-alpha.12` } });
      expect(verified).toMatchObject({ notaryKeyFingerprint: fingerprint, notaryTrusted: true });
    }
  });

  it('is trusted only as long as the file says so, without a restart', async () => {
    const named = { notaryUrl: notaryAddress };
    const listed = readFileSync(trustedFile, 'utf8');
    const trusted = async () => (await proveAndVerify(named)).verified?.notaryTrusted;
    for (const [text, expected] of [
      ['[]', false],
      [listed, true],
      ['[{"finger', true],
      ['[]', false],
      [listed, true],
    ] as const) {
      writeFileSync(trustedFile, text);
      expect(await trusted()).toBe(expected);
    }
    rmSync(trustedFile);
    expect(await trusted()).toBe(true);
    writeFileSync(trustedFile, listed);
  });

  it('leaves the embedded notary the default', async () => {
    const { proof, verified } = await proveAndVerify({});
    expect(proof).not.toMatchObject({ meta: { notaryUrl: `${notaryAddress}/v0.1.0-alpha.12` } });
    expect(verified).toMatchObject({ notaryTrusted: true });
    expect(verified?.notaryKeyFingerprint).not.toBe(fingerprint);
  });
});

describe('the settings that the page shows', () => {
  it('a proxy that is told the identity is taken', () => {
    const [, url = ''] = /^SCRAPER_PROXY_URL='(.+)'$/m.exec(page) ?? [];
    expect(url).toContain('{session}');
    expect(readEnvironment({ SCRAPER_PROXY_URL: url }).SCRAPER_PROXY_URL).toBe(url);
  });

  it('the command makes a secret for callbacks', () => {
    const command = /^echo "WEB_PROOF_CALLBACK_SECRET=.*$/m.exec(page)?.[0] ?? 'false';
    const [name, secret] = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim().split(/=(.*)/);
    expect(name).toBe('WEB_PROOF_CALLBACK_SECRET');
    expect(readEnvironment({ WEB_PROOF_CALLBACK_SECRET: secret }).WEB_PROOF_CALLBACK_SECRET).toBe(secret);
  });
});
