/** What an operator is warned about at the start. */
import { afterEach, expect, it, vi } from 'vitest';
import { groth16, warningAboutKey } from '../../../adapters/groth16-prover/index.ts';
import { type CredenceConfig, createCredence } from '../../../plugins/compose/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

afterEach(() => vi.unstubAllEnvs());

/** The warnings of a start. */
async function warningsOf(
  zk: CredenceConfig['zk'],
  services: CredenceConfig['services'] = ['zk-prover'],
  more: Partial<CredenceConfig> = {},
) {
  const logger = createRecordingLogger();
  const config: CredenceConfig = {
    storage: { url: 'sqlite::memory:' },
    secrets: { key: new Uint8Array(32) },
    adminToken: 'an-admin-token-for-tests',
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    services,
    zk,
    ...more,
  };
  const credence = createCredence(config, { logger });
  await credence.start();
  await credence.stop();
  return logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

it('in production the development key is named, whether it will be refused or was allowed', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const [refused = '', ...others] = await warningsOf({});
  expect(refused).toMatch(/development one.*will be refused.*ZK_ARTIFACTS_DIR/s);
  expect(others).toEqual([]);
  const guestId = /0x[0-9a-f]{64}/.exec(refused)?.[0];
  const [allowed] = await warningsOf({ allowDevelopmentKey: guestId });
  expect(allowed).toMatch(/is in use: anyone can forge/);
});

it('in production mock seals are named; without the service nothing is', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await warningsOf({ prover: 'fake' })).toEqual([expect.stringContaining('ZK_PROVER=fake')]);
  expect(await warningsOf({ prover: 'fake' }, ['engagement'])).toEqual([]);
  expect(await warningsOf({ prover: 'http', url: 'https://prover.example', token: 't' })).toEqual([]);
});

it('warns in production about scraping without a rate limit, if anything is scraped', async () => {
  const unlimited = { platforms: { pacing: 'off' } } as const;
  expect(await warningsOf({}, ['engagement'], unlimited)).toEqual([]);
  vi.stubEnv('NODE_ENV', 'production');
  expect(await warningsOf({}, ['engagement'], unlimited)).toEqual([expect.stringContaining('SCRAPER_PACING=off')]);
  expect(await warningsOf({}, ['engagement'])).toEqual([]);
  expect(await warningsOf({}, ['web-prover'], unlimited)).toEqual([]);
});

it('elsewhere both are as they should be; a key that cannot be read is named everywhere', async () => {
  expect(await warningsOf({})).toEqual([]);
  expect(await warningsOf({ prover: 'fake' })).toEqual([]);
  expect(await warningAboutKey({ artifacts: '/nonexistent' })).toMatch(
    /^The proving key in \/nonexistent could not be read \(ENOENT\): .+ Set ZK_ARTIFACTS_DIR/,
  );
});

it('names a key and a program of rapidsnark that cannot be used, and their settings', async () => {
  expect(await warningsOf({ artifacts: '/nonexistent' })).toEqual([expect.stringContaining('ZK_ARTIFACTS_DIR')]);
  expect(await warningsOf({ prover: 'rapidsnark', rapidsnark: '/nonexistent' })).toEqual([
    expect.stringMatching(/^The prover \/nonexistent cannot be run \(ENOENT\): .+ Set `zk.rapidsnark`/),
  ]);
  expect(await warningsOf({ prover: 'rapidsnark', rapidsnark: process.execPath })).toEqual([]);
  expect(await groth16({ artifacts: '/nonexistent', rapidsnark: '/nonexistent' }).warning?.()).toMatch(
    /ZK_ARTIFACTS_DIR.+zk.rapidsnark/,
  );
});
