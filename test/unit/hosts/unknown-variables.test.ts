import { expect, it } from 'vitest';
import { variableNames } from '../../../hosts/standalone/environment.ts';
import { warnAboutUnknownVariables } from '../../../hosts/standalone/unknown-variables.ts';

it.each([
  ['INSTAGRAM_SESION_IDS', 'INSTAGRAM_SESSION_IDS'],
  ['INSTAGRAM_SESSION_ID', 'INSTAGRAM_SESSION_IDS'],
  ['STORAGE_URI', 'STORAGE_URL'],
  ['ADMIN_TOKENS', 'ADMIN_TOKEN'],
  ['admin_token', 'ADMIN_TOKEN'],
  ['CREDENCE_ADMIN_TOKEN', 'ADMIN_TOKEN'],
  ['EGRES_ALLOW', 'EGRESS_ALLOW'],
  ['TIKTOK_URL', 'TIKTOK_BASE_URL'],
  ['SCRAPER_PACE', 'SCRAPER_PACING'],
  ['MPC_SESSION_COUNT', 'MPC_SESSIONS'],
  ['REMOTE_NOTARY_FILES', 'REMOTE_NOTARIES_FILE'],
  ['WEB_PROOF_SECRET', 'WEB_PROOF_CALLBACK_SECRET'],
  ['CREDENCE_STORAGE', 'STORAGE_URL'],
  ['SECRETS_KEY', 'SECRETS_KEY_FILE'],
  ['TRUST_PROXIES', 'TRUST_PROXY'],
  ['TLS_EXTRA_CA', 'TLS_EXTRA_CA_FILE'],
  ['ADMIN_TOKEN_FILE', 'ADMIN_TOKEN'],
])('suggests the setting that %s probably means', (name, meant) => {
  expect(warnAboutUnknownVariables({ [name]: 'secret' }, variableNames)).toEqual([
    `${name} is not a setting of this host. Did you mean ${meant}?`,
  ]);
});

it('says nothing about settings, and about variables of other software', () => {
  const settings = Object.fromEntries(variableNames.map((name) => [name, 'x']));
  const others = ['PATH', 'HOME', 'HOSTNAME', 'HOSTS', 'POST', 'SORT', 'LANG', 'NODE_ENV', 'REDIS_HOST', 'LOGNAME'];
  others.push('JOB_NAME', 'JOB_ID', 'JOB_URL', 'CONNECT_BOOTSTRAP_SERVERS', 'CREDENCE_URL', 'CREDENCE_TOKEN');
  const env = { ...settings, ...Object.fromEntries(others.map((name) => [name, 'x'])) };
  expect(warnAboutUnknownVariables(env, variableNames)).toEqual([]);
});
