/**
 * The public outputs of a compressed web proof (docs/specification/web-proofs.md#journal): an ABI-encoded tuple without a
 * wrapper.
 */

import { bytesToHex } from '@noble/hashes/utils.js';
import type { ProofStatement } from '../../ports/zk-prover.ts';
import { extractionHash } from '../extraction/queries.ts';
import type { AbiValue } from './encode.ts';

export interface JournalContent extends Pick<ProofStatement, 'facts' | 'queries' | 'values'> {
  /** SHA-256 of the notary's compressed key, 32 bytes. */
  readonly notaryKeyFingerprint: Uint8Array;
}

/** A member of the tuple: its name, its Solidity type, and its value as the ABI encoder takes it. */
export interface JournalMember extends AbiValue {
  readonly name: string;
}

/** The members of the journal in their order: the five fixed ones, then one for each value. */
export function journalMembers(content: JournalContent): readonly JournalMember[] {
  const { facts } = content;
  return [
    { name: 'notaryKeyFingerprint', type: 'bytes32', value: `0x${bytesToHex(content.notaryKeyFingerprint)}` },
    { name: 'method', type: 'string', value: facts.method },
    { name: 'url', type: 'string', value: facts.url },
    { name: 'tlsTimestamp', type: 'uint256', value: BigInt(facts.tlsTimestamp) },
    { name: 'extractionHash', type: 'bytes32', value: `0x${bytesToHex(extractionHash(content.queries))}` },
    ...content.values.map((value, index): JournalMember => {
      const name = `extractedValue${index}`;
      if (value.kind === 'uint256') return { name, type: 'uint256', value: BigInt(value.text) };
      return { name, type: 'string', value: value.text };
    }),
  ];
}
