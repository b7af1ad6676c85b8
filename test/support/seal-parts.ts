/** Takes seals and journals apart and puts them together again changed, to see what a contract refuses. */

import {
  type AbiParameter,
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  keccak256,
  sha256,
  stringToBytes,
  toHex,
} from 'viem';

const SEAL = [
  {
    type: 'tuple',
    components: [
      { name: 'proof', type: 'uint256[8]' },
      { name: 'attesterKey', type: 'uint256[2]' },
      { name: 'root', type: 'uint256' },
      { name: 'signatureR', type: 'bytes32' },
      { name: 'signatureS', type: 'bytes32' },
      { name: 'signatureV', type: 'uint8' },
      { name: 'requestBody', type: 'bytes32' },
      { name: 'queries', type: 'string[]' },
      { name: 'kinds', type: 'bytes' },
      { name: 'journal', type: 'bytes' },
    ],
  },
] as const;

export type SealParts = ReturnType<typeof openSeal>['parts'];

export function openSeal(seal: Hex) {
  const [parts] = decodeAbiParameters(SEAL, `0x${seal.slice(10)}`);
  return { selector: seal.slice(0, 10) as Hex, parts };
}

export function closeSeal(selector: Hex, parts: SealParts): Hex {
  return concat([selector, encodeAbiParameters(SEAL, [parts])]);
}

/** The journal's members; `types` are those of the values after the five fixed ones. */
export function openJournal(journal: Hex, types: readonly string[]): unknown[] {
  return [...decodeAbiParameters(journalParameters(types), journal)];
}

export function closeJournal(members: readonly unknown[], types: readonly string[]): Hex {
  return encodeAbiParameters(journalParameters(types), members);
}

function journalParameters(types: readonly string[]): AbiParameter[] {
  return ['bytes32', 'string', 'string', 'uint256', 'bytes32', ...types].map((type) => ({ type }));
}

/** The extraction hash, computed by other means than the code under test. */
export function hashOfQueries(queries: readonly string[]): Hex {
  return keccak256(concat(queries.map((query) => toHex(stringToBytes(`response.bodyjmespath${query}`)))));
}

/** The arguments of `verify`. */
export function verifyArguments(seal: Hex, guestId: Hex, journal: Hex): readonly [Hex, Hex, Hex] {
  return [seal, guestId, sha256(journal)];
}
