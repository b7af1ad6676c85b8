/** The prover of the fake mode: at once, from the journal alone, and worth nothing. For contracts with a mock verifier. */

import { hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import type { ZkProverAdapter } from '../../core/ports/adapter-values.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { programId } from '../../core/web-proof/attested-values/program.ts';
import { fakeSeal } from '../../core/web-proof/journal/fake-seal.ts';

/** Checks `FakeProverOptions`. */
export const fakeProverOptionsSchema = z.strictObject({
  /** The program that the seals are said to be of: the real prover's, so that contracts need no change. */
  guestId: z.custom<`0x${string}`>((value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value), {
    error: 'guestId is 0x and 64 lower-case hex digits',
  }),
});

/** What `createFakeProver` takes. */
export type FakeProverOptions = z.input<typeof fakeProverOptionsSchema>;

/**
 * A prover whose seals RISC Zero's mock verifier accepts for the program that the statement has under `guestId`.
 * @throws ZodError for a malformed `guestId`
 */
export function createFakeProver(options: FakeProverOptions): ZkProver {
  const { guestId } = fakeProverOptionsSchema.parse(options);
  return {
    guestId: async () => guestId,
    prove: async ({ attester, facts, journal }) =>
      fakeSeal(hexToBytes(programId(guestId, attester, facts.requestBody).slice(2)), journal),
    close: async () => undefined,
  };
}

/** The program that mock seals name if no other is given. */
const DEFAULT_GUEST_ID = `0x${'00'.repeat(31)}01` as const;

/**
 * The fake prover as a value: `createCredence({ zkProver: fakeProver() })`. For contracts with a mock verifier; it warns in
 * production.
 * @throws ConfigurationError for an unusable guest id
 */
export function fakeProver(options: Partial<FakeProverOptions> = {}): ZkProverAdapter {
  const settings = checkOptions('fakeProver', fakeProverOptionsSchema, { guestId: DEFAULT_GUEST_ID, ...options });
  return {
    create: () => createFakeProver(settings),
    warning: async () =>
      process.env.NODE_ENV === 'production'
        ? 'ZK_PROVER=fake: every seal is a mock that proves nothing. Only contracts with a mock verifier accept it.'
        : null,
  };
}
