/** Encodes a journal as `abi.encode` of Solidity does. */
import { numberToBytesBE } from '@noble/curves/utils.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { joinBytes } from '../../join-bytes.ts';

/** One value of a tuple: `bytes32` as 0x and 64 hex digits, `uint256` as a bigint. */
export interface AbiValue {
  readonly type: 'bytes32' | 'string' | 'uint256';
  readonly value: string | bigint;
}

const WORD = 32;

/** The canonical encoding of one tuple without a wrapper: a word for each value, then the texts that words point to. */
export function encodeAbi(values: readonly AbiValue[]): Uint8Array {
  let offset = values.length * WORD;
  const tails: Uint8Array[] = [];
  const heads = values.map(({ type, value }) => {
    if (type !== 'string') return numberToBytesBE(BigInt(value), WORD);
    const text = utf8ToBytes(String(value));
    const padded = new Uint8Array(Math.ceil(text.length / WORD) * WORD);
    padded.set(text);
    const head = numberToBytesBE(offset, WORD);
    tails.push(numberToBytesBE(text.length, WORD), padded);
    offset += WORD + padded.length;
    return head;
  });
  return joinBytes([...heads, ...tails]);
}
