/** What an operator is warned about at the start. */

import { groth16 } from '@credence/groth16';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { httpProver } from '../../../adapters/http-prover/index.ts';
import { type CredenceConfig, createCredence } from '../../../plugins/compose/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

afterEach(() => vi.unstubAllEnvs());

/** The warnings of a start. */
async function warningsOf(
  zkProver: CredenceConfig['zkProver'],
  services: CredenceConfig['services'] = ['zk-prover'],
  more: Partial<CredenceConfig> = {},
) {
  const logger = createRecordingLogger();
  const config: CredenceConfig = {
    storage: { url: 'sqlite::memory:' },
    adminToken: 'an-admin-token-for-tests',
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    services,
    zkProver,
    ...more,
  };
  const credence = createCredence(config, { logger });
  await credence.start();
  await credence.stop();
  return logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

it('in production the development key is named, whether it will be refused or was allowed', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const [refused = '', ...others] = await warningsOf(groth16());
  expect(refused).toMatch(/development one.*will be refused.*ZK_ARTIFACTS_DIR/s);
  expect(others).toEqual([]);
  const guestId = /0x[0-9a-f]{64}/.exec(refused)?.[0];
  const [allowed] = await warningsOf(groth16({ allowDevelopmentKey: guestId }));
  expect(allowed).toMatch(/is in use: anyone can forge/);
});

it('in production mock seals are named; without the service nothing is', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await warningsOf(fakeProver())).toEqual([expect.stringContaining('ZK_PROVER=fake')]);
  expect(await warningsOf(fakeProver(), ['engagement'])).toEqual([]);
  expect(await warningsOf(httpProver({ url: 'https://prover.example', token: 't' }))).toEqual([]);
});

it('warns in production about scraping without a rate limit, if anything is scraped', async () => {
  const unlimited = { platforms: { pacing: 'off' } } as const;
  expect(await warningsOf(undefined, ['engagement'], unlimited)).toEqual([]);
  vi.stubEnv('NODE_ENV', 'production');
  const off = expect.stringContaining('SCRAPER_PACING=off');
  expect(await warningsOf(undefined, ['engagement'], unlimited)).toEqual([off]);
  expect(await warningsOf(undefined, ['engagement'])).toEqual([]);
  expect(await warningsOf(undefined, ['web-prover'], unlimited)).toEqual([]);
});

it('elsewhere both are as they should be; a key that cannot be read is named everywhere', async () => {
  expect(await warningsOf(groth16())).toEqual([]);
  expect(await warningsOf(fakeProver())).toEqual([]);
  expect(await warningsOf(groth16({ artifacts: '/nonexistent' }))).toEqual([
    expect.stringMatching(/^The proving key in \/nonexistent could not be read \(ENOENT\): .+ Set ZK_ARTIFACTS_DIR/),
  ]);
});
