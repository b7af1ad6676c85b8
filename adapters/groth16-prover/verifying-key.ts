/** The verifying key in the forms that others need: the bytes of the contract, and the hash that names the program. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CIRCUIT_SIZES } from './circuit-sizes.ts';

const coordinate = z.string().regex(/^[0-9]{1,78}$/);
const g1 = z.tuple([coordinate, coordinate, z.literal('1')]);
const g2 = z.tuple([
  z.tuple([coordinate, coordinate]),
  z.tuple([coordinate, coordinate]),
  z.tuple([z.literal('1'), z.literal('0')]),
]);

/** snarkjs's `verification_key.json`, as far as it is read. */
export const verifyingKeySchema = z.looseObject({
  protocol: z.literal('groth16'),
  curve: z.literal('bn128'),
  nPublic: z.int().positive(),
  vk_alpha_1: g1,
  vk_beta_2: g2,
  vk_gamma_2: g2,
  vk_delta_2: g2,
  IC: z.array(g1).min(2),
});

export type VerifyingKey = z.infer<typeof verifyingKeySchema>;

function word(decimal: string): string {
  return BigInt(decimal).toString(16).padStart(64, '0');
}

function g1Hex(point: z.infer<typeof g1>): string {
  return word(point[0]) + word(point[1]);
}

/** The precompiles want the imaginary part first. */
function g2Hex(point: z.infer<typeof g2>): string {
  const [x, y] = point;
  return word(x[1]) + word(x[0]) + word(y[1]) + word(y[0]);
}

/** alpha, beta, gamma, delta, then the points of the public inputs; hex without prefix, as the precompiles take them. */
function points(key: VerifyingKey): string {
  const { vk_alpha_1: alpha, vk_beta_2: beta, vk_gamma_2: gamma, vk_delta_2: delta, IC } = key;
  return g1Hex(alpha) + g2Hex(beta) + g2Hex(gamma) + g2Hex(delta) + IC.map(g1Hex).join('');
}

/**
 * SHA-256 over a domain and the verifying keys of the circuits, from the smallest to the largest: another circuit or another
 * ceremony has another id. The version in the domain counts what the contract checks beside the proof: since v3, the signature
 * over the root of the tree.
 */
export function guestIdOf(keys: readonly VerifyingKey[]): `0x${string}` {
  const hash = createHash('sha256').update('credence.web-proof.groth16-bn254.v3');
  for (const key of keys) hash.update(Buffer.from(points(key), 'hex'));
  return `0x${hash.digest('hex')}`;
}

/**
 * The source of VerifyingKey.sol, of the keys for up to 1, 4 and 8 values. With `development`, its verifier refuses to be
 * deployed on other chains than test chains.
 */
export function verifyingKeySolidity(
  keys: readonly VerifyingKey[],
  { development }: { readonly development: boolean },
): string {
  const constants = keys.map(
    (key, index) => `    bytes internal constant UP_TO_${CIRCUIT_SIZES[index]} =
        hex"${points(key)}";
`,
  );
  return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Written by \`npm run zk:setup\` or \`npm run zk:ceremony\` from the verifying keys; not to be edited.
library VerifyingKey {
    /// Hash of these keys: the id of the program whose proofs they check.
    bytes32 internal constant GUEST_ID = ${guestIdOf(keys)};
    /// True if the keys come from the development ceremony, whose randomness is public: anyone can forge proofs for them.
    bool internal constant DEVELOPMENT = ${development};
    /// By the number of values: alpha, beta, gamma, delta, then one point for the constant and one for each public input.
${constants.join('')}}
`;
}
