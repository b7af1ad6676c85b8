/** Each variable sets the field of the library's configuration that the reference says, and no other. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { FIELDS, readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { variables } from '../../../hosts/standalone/variables.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { configFields, valueAt } from '../../support/config-fields.ts';
import { newFolder } from '../../support/new-folder.ts';
import { createAuthority } from '../../support/tls-origin.ts';

const FINGERPRINT = 'ab'.repeat(32);

/** What some variables cannot be set without. */
const BASE = { DATA_PROVIDER_KEY: 'key', REDIS_URL: 'redis://a', MPC_SESSIONS: '1' };

/** Another value than the default; for files their content. */
const PROBES: Readonly<Record<string, string>> = {
  CONFIG_FILE: JSON.stringify({ redisPrefix: 'other' }),
  PORT: '1',
  HOST: '::1',
  STORAGE_URL: 'sqlite:other.db',
  DATA_DIR: './other',
  ADMIN_TOKEN: 'an-admin-token-of-the-tests',
  SECRETS_KEY_FILE: 'other.key',
  SECRETS_KEY_REPLACED: 'on',
  SERVICES: 'notary',
  PUBLIC_URL: 'https://h.example',
  LOG_LEVEL: 'debug',
  TRUST_PROXY: '10.0.0.1',
  INSTAGRAM_BASE_URL: 'http://h',
  TIKTOK_BASE_URL: 'http://h',
  INSTAGRAM_SESSION_IDS: 'one,two',
  INSTAGRAM_SOURCES: 'provider',
  TIKTOK_SOURCES: 'own,provider',
  YOUTUBE_API_KEY: 'key',
  DATA_PROVIDER: 'hikerapi',
  DATA_PROVIDER_KEY: 'other',
  DATA_PROVIDER_DAILY_CREDITS: '5',
  SCRAPER_PROXY_URL: 'http://user-{session}:p@h:8080',
  SCRAPER_PACING: 'off',
  PLATFORM_CANARIES: 'tiktok:nasa',
  REDIS_URL: 'redis://h',
  EGRESS_ALLOW: '10.0.0.0/8',
  CONNECT_RETURN_ORIGINS: 'https://app.example',
  CONSOLE: 'off',
  EGRESS_PORTS: '8443',
  TLS_EXTRA_CA_FILE: createAuthority().root.pem,
  NOTARY_KEY_FILE: 'other.key',
  NOTARY_URL: 'https://n.example',
  MPC_SESSIONS: '2',
  TRUSTED_NOTARIES_FILE: JSON.stringify([{ fingerprint: FINGERPRINT }]),
  REMOTE_NOTARIES_FILE: JSON.stringify([{ url: 'https://n.example', token: 't', fingerprint: FINGERPRINT }]),
  WEB_PROOF_CALLBACK_SECRET: `whsec_${'a'.repeat(32)}`,
  ZK_PROVER: 'fake',
  ZK_ARTIFACTS_DIR: './ceremony',
  JOB_QUEUE: 'bullmq',
  JOB_LEASE_SECONDS: '61',
  RETENTION_DAYS: 'off',
  DELAY_SCALE: '0.5',
  RUN_JOBS: 'off',
};

const FILES: readonly string[] = ['CONFIG_FILE', 'TLS_EXTRA_CA_FILE', 'TRUSTED_NOTARIES_FILE', 'REMOTE_NOTARIES_FILE'];
const DEFAULTS_MOVED: Readonly<Record<string, readonly string[]>> = {
  CONFIG_FILE: ['redisPrefix'],
  DATA_DIR: ['storage.url', 'secrets.keyFile', 'notary.key.file'],
};

const fields = configFields().map(({ path }) => path);
let directory: string;
beforeAll(() => {
  directory = newFolder();
});

/** Without the options of what the host makes of packages. */
function resolved(env: Readonly<Record<string, string>>) {
  const { zk: _ofProver, notary: { sessions: _ofPlugin, ...notary } = {}, ...config } = toConfig(readEnvironment(env));
  return resolveConfig({ ...config, notary, zkProver: fakeProver() });
}

function probe(name: string): string {
  const value = PROBES[name] ?? '';
  if (!FILES.includes(name)) return value;
  const path = join(directory, name);
  writeFileSync(path, value);
  return path;
}

describe('what a variable sets', () => {
  it.each([...variables.keys()])('%s', (name) => {
    const before = resolved(BASE);
    const after = resolved({ ...BASE, [name]: probe(name) });
    const changed = fields.filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
    const field = FIELDS.get(name);
    const expected = DEFAULTS_MOVED[name] ?? fields.filter((path) => path === field);
    expect(changed.toSorted()).toEqual(expected.toSorted());
    for (const path of changed) expect(valueAt(after, path)).toBeDefined();
  });

  it('a field of the file too, unless the variable is set', () => {
    const path = join(directory, 'fields');
    const file = { services: ['notary'], jobs: { leaseSeconds: 7, queue: 'leased' } };
    writeFileSync(path, JSON.stringify(file));
    const config = resolved({ CONFIG_FILE: path, JOB_LEASE_SECONDS: '8' });
    expect(config).toMatchObject({ services: ['notary'], jobs: { leaseSeconds: 8 } });
    for (const [text, message] of [
      ['[]', 'must hold an object'],
      ['{', 'is not JSON'],
    ] as const) {
      writeFileSync(path, text);
      expect(() => resolved({ CONFIG_FILE: path })).toThrow(`CONFIG_FILE: ${path} ${message}.`);
    }
  });

  it('is a field of its own for each', () => {
    expect(new Set(FIELDS.values()).size).toBe(FIELDS.size);
    const ofHost = [...FIELDS.values()].filter((field) => !fields.includes(field));
    expect(ofHost).toEqual([
      'platforms.instagram.official.appSecret',
      'platforms.tiktok.official.appSecret',
      'notary.sessions.concurrency',
      'zk.prover',
      'zk.artifacts',
    ]);
  });
});
