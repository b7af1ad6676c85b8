/**
 * The extension that a notary puts into an attestation so that values of the response can be proven in zero knowledge. The
 * official verifier accepts an attestation with an extension it does not know, and the header's signature covers it.
 */

import type { JournalValue } from '../extraction/journal-value.ts';
import { isAcceptableQuery } from '../extraction/queries.ts';
import { type HiddenRanges, JSON_LIMITS, readJson, UnreadableJsonError } from '../extraction/read-json.ts';
import { attestClaims, type OpenedAttestation, openAttestation } from './attestation.ts';
import { TREE_CAPACITY } from './claim-tree.ts';
import { type RequestFacts, requestClaim, valueClaim } from './claims.ts';
import type { ValuesSigner } from './values-key.ts';

/** The id of the extension, ASCII. */
export const EXTENSION_ID = 'credence.attested-values.v1';

/** What a presentation reveals, as far as values can be proven from it. */
export interface RevealedExchange extends RequestFacts {
  /** The decoded body of the response, undefined when there is none. */
  readonly body: Uint8Array | undefined;
  /** Byte ranges of `body` that are hidden. */
  readonly hidden: HiddenRanges;
}

/** The scalars of the response by canonical path, or why there are none to prove. */
export type AttestableValues =
  | { readonly scalars: ReadonlyMap<string, JournalValue> }
  | { readonly scalars?: undefined; readonly reason: string };

/** Reads the values that go into the tree; deterministic, so that notary and verifier agree. */
export function attestableValues(exchange: RevealedExchange): AttestableValues {
  if (exchange.body === undefined) return { reason: 'the response has no body' };
  try {
    const { scalars } = readJson(exchange.body, exchange.hidden);
    if (scalars === undefined) return { reason: `the body has more than ${JSON_LIMITS.maxScalars} values` };
    const provable = new Map<string, JournalValue>();
    for (const [path, value] of scalars) if (isAcceptableQuery(path)) provable.set(path, value);
    return { scalars: provable };
  } catch (error) {
    if (error instanceof UnreadableJsonError) return { reason: `the body cannot be read as JSON: ${error.message}` };
    throw error;
  }
}

function claimsOf(facts: RequestFacts, values: ReadonlyMap<string, JournalValue>): readonly bigint[] {
  const claims = [requestClaim(facts)];
  for (const [query, value] of values) claims.push(valueClaim(query, value));
  if (claims.length > TREE_CAPACITY) throw new RangeError('more values than a tree holds');
  return claims;
}

/**
 * The extension for an exchange: the request alone when the body has no provable values. `seed` is 32 random bytes, fresh
 * for every attestation. About 0.3 ms for each value.
 */
export function buildValuesExtension(
  signer: ValuesSigner,
  seed: Uint8Array,
  exchange: RevealedExchange,
): { readonly id: Uint8Array; readonly value: Uint8Array } {
  const values = attestableValues(exchange).scalars ?? new Map<string, JournalValue>();
  return { id: new TextEncoder().encode(EXTENSION_ID), value: attestClaims(signer, seed, claimsOf(exchange, values)) };
}

/** Checks an extension against what the presentation reveals. Throws `AttestationError`. */
export function openValuesExtension(
  value: Uint8Array,
  notaryKey: Uint8Array,
  exchange: RevealedExchange,
): OpenedAttestation {
  const values = attestableValues(exchange).scalars ?? new Map<string, JournalValue>();
  return openAttestation(value, notaryKey, claimsOf(exchange, values));
}

/** Signs the values that `queries` gave on this exchange: evaluated by the notary, so attested rather than proven. */
export function attestQueryValues(
  signer: ValuesSigner,
  seed: Uint8Array,
  facts: RequestFacts,
  values: ReadonlyMap<string, JournalValue>,
): Uint8Array {
  return attestClaims(signer, seed, claimsOf(facts, values));
}

/** Checks what `attestQueryValues` made. Throws `AttestationError`. */
export function openQueryValues(
  attestation: Uint8Array,
  notaryKey: Uint8Array,
  facts: RequestFacts,
  values: ReadonlyMap<string, JournalValue>,
): OpenedAttestation {
  return openAttestation(attestation, notaryKey, claimsOf(facts, values));
}
