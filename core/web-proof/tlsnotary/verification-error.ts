import { DomainError } from '../../errors.ts';

/** The presentation is well-formed and a claim in it does not hold. The message names the check. */
export function untrue(check: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `Verification failed: ${check}.`);
}

/** @throws DomainError `INTERNAL_SERVER_ERROR` unless the claim holds. */
export function demand(holds: boolean, check: string): asserts holds {
  if (!holds) throw untrue(check);
}

/** True for equal bytes. Not constant-time: nothing compared here is secret. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
