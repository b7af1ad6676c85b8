import { utf8ToBytes } from '@noble/hashes/utils.js';
import {
  attestableValues,
  attestQueryValues,
  EXTENSION_ID,
  ownAttester,
  type ProvableExchange,
} from '../../core/web-proof/attested-values/extension.ts';
import type { ValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import type { Extension } from '../../core/web-proof/tlsnotary/presentation.ts';

/** The extension that a notary adds for an exchange, with a seed of the test's choice. */
export function buildValuesExtension(signer: ValuesSigner, seed: Uint8Array, exchange: ProvableExchange): Extension {
  const { scalars = new Map() } = attestableValues(exchange);
  const [queries, values] = [[...scalars.keys()], [...scalars.values()]];
  const value = attestQueryValues(signer, seed, exchange, queries, values, ownAttester(exchange));
  return { id: utf8ToBytes(EXTENSION_ID), value };
}
