/** Each variable sets the field of the library's configuration that the reference says, and no other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELDS, readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { variables } from '../../../hosts/standalone/variables.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { configFields, valueAt } from '../../support/config-fields.ts';
import { createAuthority } from '../../support/tls-origin.ts';

const FINGERPRINT = 'ab'.repeat(32);

/** What some variables cannot be set without. */
const BASE = {
  DATA_PROVIDER_KEY: 'key',
  REDIS_URL: 'redis://a',
  ZK_PROVER_URL: 'http://a',
  ZK_PROVER_TOKEN: 'a',
  CONNECT_BRAND_NAME: 'a',
  MPC_SESSIONS: '1',
};

type Name = keyof typeof variables;

/** Another value than the default; for files their content. */
const PROBES: Readonly<Record<Name, string>> = {
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
  INSTAGRAM_POST_DOC_IDS: '111111,222222',
  INSTAGRAM_OLDER_POST_DOC_ID: '111111',
  INSTAGRAM_COMMENTS_DOC_ID: '111111',
  INSTAGRAM_PROFILE_DOC_ID: '111111',
  INSTAGRAM_APP_ID: '111111',
  INSTAGRAM_ASBD_ID: '111111',
  TIKTOK_APP_ID: '111111',
  YOUTUBE_API_KEY: 'key',
  YOUTUBE_BASE_URL: 'http://h',
  DATA_PROVIDER_KEY: 'other',
  DATA_PROVIDER_BASE_URL: 'http://h',
  SCRAPER_PROXY_URL: 'http://user-{session}:p@h:8080',
  SCRAPER_USER_AGENT: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/160.0.0.0',
  SCRAPER_PACING: 'off',
  SCRAPER_PROFILE_WAIT_MS: '0',
  PLATFORM_CANARIES: 'tiktok:nasa',
  PLATFORM_CANARY_SECONDS: '60',
  REDIS_URL: 'redis://h',
  REDIS_PREFIX: 'other',
  EGRESS_ALLOW: '10.0.0.0/8',
  CONNECT_RETURN_ORIGINS: 'https://app.example',
  CONNECT_BRAND_NAME: 'Acme',
  CONNECT_BRAND_LOGO_URL: 'https://cdn.example/logo.svg',
  CONNECT_BRAND_COLOR: '#0a6b3d',
  CONSOLE: 'off',
  EGRESS_PORTS: '8443',
  TLS_EXTRA_CA_FILE: createAuthority().root.pem,
  NOTARY_KEY_FILE: 'other.key',
  NOTARY_URL: 'https://n.example',
  MPC_SESSIONS: '2',
  MPC_READY_SESSIONS: '0',
  MPC_READY_SECONDS: '60',
  MPC_MAX_SENT_DATA: '2048',
  MPC_MAX_RECV_DATA: '8192',
  MPC_MEMORY_MIB: '2048',
  TLSN_PROVERS: 'token',
  TRUSTED_NOTARIES_FILE: JSON.stringify([{ fingerprint: FINGERPRINT }]),
  REMOTE_NOTARIES_FILE: JSON.stringify([{ url: 'https://n.example', token: 't', fingerprint: FINGERPRINT }]),
  WEB_PROOF_CALLBACK_SECRET: `whsec_${'a'.repeat(32)}`,
  WEB_PROOF_CLOCK_TOLERANCE_SECONDS: '5',
  ZK_PROVER: 'http',
  ZK_PROVER_URL: 'https://p.example',
  ZK_PROVER_TOKEN: 'other',
  ZK_RAPIDSNARK_PATH: '/opt/rapidsnark/prover',
  ZK_WARM_UP: 'off',
  ZK_ARTIFACTS_DIR: './ceremony',
  ZK_ALLOW_DEVELOPMENT_KEY: `0x${FINGERPRINT}`,
  JOB_QUEUE: 'bullmq',
  JOB_LEASE_SECONDS: '61',
  RETENTION_DAYS: 'off',
  AUDIT_RETENTION_DAYS: '7',
  VERIFICATION_MISSING_COMMENTS: '4',
  VERIFICATION_MISSING_SHARE: '0.1',
  VERIFICATION_RECHECK_SCALE: '0.5',
  WEBHOOK_RETRY_SCALE: '0.5',
  RUN_JOBS: 'off',
};

const FILES: readonly Name[] = ['TLS_EXTRA_CA_FILE', 'TRUSTED_NOTARIES_FILE', 'REMOTE_NOTARIES_FILE'];
const DEFAULTS_MOVED: Readonly<Partial<Record<Name, readonly string[]>>> = {
  DATA_DIR: ['storage.url', 'secrets.keyFile', 'notary.key.file'],
};

const fields = configFields().map(({ path }) => path);
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'credence-variables-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const resolved = (env: Readonly<Record<string, string>>) => resolveConfig(toConfig(readEnvironment(env)));

function probe(name: Name): string {
  if (!FILES.includes(name)) return PROBES[name];
  const path = join(directory, name);
  writeFileSync(path, PROBES[name]);
  return path;
}

describe('what a variable sets', () => {
  it.each(Object.keys(variables) as Name[])('%s', (name) => {
    const before = resolved(BASE);
    const after = resolved({ ...BASE, [name]: probe(name) });
    const changed = fields.filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
    const field = FIELDS.get(name);
    const expected = DEFAULTS_MOVED[name] ?? (field === undefined ? [] : [field]);
    expect(changed.toSorted()).toEqual(expected.toSorted());
    for (const path of changed) expect(valueAt(after, path)).toBeDefined();
  });

  it('MPC_READY_SESSIONS, for the notaries of the file that do not say it themselves', () => {
    const notary = { url: 'https://n.example', token: 't', fingerprint: FINGERPRINT, mode: 'blind' };
    const path = join(directory, 'blind-notaries');
    writeFileSync(path, JSON.stringify([notary, { ...notary, readySessions: 2 }]));
    const { remoteNotaries } = resolved({ ...BASE, REMOTE_NOTARIES_FILE: path, MPC_READY_SESSIONS: '3' });
    expect(remoteNotaries).toMatchObject([{ readySessions: 3 }, { readySessions: 2 }]);
  });

  it('is a field of its own for each', () => {
    expect(new Set(FIELDS.values()).size).toBe(FIELDS.size);
    expect([...FIELDS.values()].filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('leaves to code what no text can say, and how much the embedded notary does at a time', () => {
    expect(fields.filter((field) => ![...FIELDS.values()].includes(field))).toEqual([
      'secrets.key',
      'platforms.transport',
      'platforms.instagram.userAgent',
      'platforms.instagram.transport',
      'platforms.tiktok.userAgent',
      'platforms.tiktok.transport',
      'platforms.tiktok.sign',
      'platforms.extra',
      'notary.key.secret',
      'notary.timeoutMs',
      'notary.concurrency',
      'notary.maxQueued',
      'notary.maxQueuedPerCaller',
      'notary.maxWaitMs',
      'trustedNotaries',
    ]);
  });
});
