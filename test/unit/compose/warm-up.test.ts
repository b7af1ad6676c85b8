/** The prover is loaded when an instance starts. */
import { groth16 } from '@credence/groth16';
import { expect, it, vi } from 'vitest';
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import { type CredenceConfig, createCredence } from '../../../plugins/compose/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

function instanceWith(warmUp: NonNullable<ZkProver['warmUp']>) {
  const logger = createRecordingLogger();
  const prover: ZkProver = {
    guestId: async () => `0x${'00'.repeat(32)}`,
    prove: async () => new Uint8Array(),
    warmUp,
    close: async () => {},
  };
  const config: CredenceConfig = {
    storage: { url: 'sqlite::memory:' },
    adminToken: 'an-admin-token-for-tests',
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    services: ['zk-prover'],
    zkProver: { create: () => prover },
  };
  const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { credence: createCredence(config, { logger }), warnings };
}

it('loads the prover once at start and does not wait for it', async () => {
  const warmUp = vi.fn(() => new Promise<void>(() => {}));
  const { credence } = instanceWith(warmUp);
  expect(warmUp).not.toHaveBeenCalled();
  await credence.start();
  await credence.start();
  await vi.waitFor(() => expect(warmUp).toHaveBeenCalled());
  expect(warmUp).toHaveBeenCalledTimes(1);
  await credence.stop();
});

it('loads the real prover unless it is told not to', async () => {
  const context = {} as Parameters<ReturnType<typeof groth16>['create']>[0];
  expect((await groth16().create(context)).warmUp).toBeDefined();
  expect((await groth16({ warmUp: false }).create(context)).warmUp).toBeUndefined();
});

it('logs that the prover cannot be loaded, and serves all the same', async () => {
  const { credence, warnings } = instanceWith(() => Promise.reject(new Error('no snarkjs')));
  await credence.start();
  await vi.waitFor(() => expect(warnings()).toEqual([expect.stringContaining('warming up failed')]));
  expect((await credence.health()).ready).toBe(true);
  await credence.stop();
});

it('says nothing of a prover that was closed before it was loaded', async () => {
  let fail: (error: Error) => void = () => {};
  const { credence, warnings } = instanceWith(() => new Promise<void>((_resolve, reject) => (fail = reject)));
  await credence.start();
  await credence.stop();
  fail(new Error('closed'));
  await Promise.resolve();
  expect(warnings()).toEqual([]);
});
