/** The verifying key in the forms that others need: the bytes of the contract, and the hash that names the program. */

import { createHash } from 'node:crypto';
import { z } from 'zod';

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

/** alpha, beta, gamma, delta, and the points of the public inputs; hex without prefix, as the precompiles take them. */
export function verifyingKeyPoints(key: VerifyingKey): { readonly points: string; readonly inputPoints: string } {
  const points = g1Hex(key.vk_alpha_1) + g2Hex(key.vk_beta_2) + g2Hex(key.vk_gamma_2) + g2Hex(key.vk_delta_2);
  return { points, inputPoints: key.IC.map(g1Hex).join('') };
}

/**
 * SHA-256 over a domain and the verifying key: another circuit or another ceremony has another id. The version in the domain
 * counts what the claims say, since the circuit does not know. v2 claims are signed for 2xx other than 206 only, and name the
 * body of the request.
 */
export function guestIdOf(key: VerifyingKey): `0x${string}` {
  const { points, inputPoints } = verifyingKeyPoints(key);
  const hash = createHash('sha256').update('credence.web-proof.groth16-bn254.v2');
  return `0x${hash.update(Buffer.from(points + inputPoints, 'hex')).digest('hex')}`;
}

/** The source of VerifyingKey.sol. With `development`, its verifier refuses to be deployed on other chains than test chains. */
export function verifyingKeySolidity(key: VerifyingKey, { development }: { readonly development: boolean }): string {
  const { points, inputPoints } = verifyingKeyPoints(key);
  return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Written by \`npm run zk:setup\` or \`npm run zk:ceremony\` from the verifying key; not to be edited.
library VerifyingKey {
    /// Hash of this key: the id of the program whose proofs it checks.
    bytes32 internal constant GUEST_ID = ${guestIdOf(key)};
    /// True if the key comes from the development ceremony, whose randomness is public: anyone can forge proofs for it.
    bool internal constant DEVELOPMENT = ${development};
    /// alpha, beta, gamma, delta.
    bytes internal constant POINTS =
        hex"${points}";
    /// One point for the constant and one for each public input.
    bytes internal constant INPUT_POINTS =
        hex"${inputPoints}";
}
`;
}
