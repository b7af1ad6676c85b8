/** Our verifier against the official one, on proofs of every shape and on changed ones. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createX509CertificateChecker } from '../../adapters/x509/x509-certificate-checker.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { decodePresentation } from '../../core/web-proof/tlsnotary/decode.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import type { Direction, Presentation } from '../../core/web-proof/tlsnotary/presentation.ts';
import { type ByteRange, unionOfRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
import { type VerifiedPresentation, verifyPresentation } from '../../core/web-proof/tlsnotary/verify-presentation.ts';
import {
  inBody,
  inBodyProof,
  inConnection,
  inEncoding,
  inHashOpenings,
  inHeader,
  inTranscript,
  inTree,
  type ProofChange,
} from '../support/changed-proof.ts';
import { createEthereumSigner, createP256Signer } from '../support/foreign-signers.ts';
import {
  assembleProof,
  concat,
  makeHandshake,
  type ProofSpec,
  seededRandom,
  signAgain,
} from '../support/proof-builder.ts';
import { runs } from '../support/property-runs.ts';
import { createRememberingChecker } from '../support/remembering-checker.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { issueIntermediate, issueLeaf } from '../support/test-ca.ts';
import { createOracle, type Oracle } from '../support/tlsn-oracle.ts';

type Random = ReturnType<typeof seededRandom>;

const root = issueOracleRoot();
const mid = issueIntermediate(root);
const leaf = issueLeaf(mid, ['a.test']);
const SIGNERS = [createSecp256k1Signer, createP256Signer, createEthereumSigner];

let oracle: Oracle;
let checker: CertificateChecker;
beforeAll(() => {
  oracle = createOracle(root);
  checker = createRememberingChecker(createX509CertificateChecker({ extraRoots: [root.pem] }));
});

function randomRanges(random: Random, total: number): ByteRange[] {
  const ranges = Array.from({ length: 1 + random.below(4) }, () => {
    const start = random.below(total);
    return { start, end: start + 1 + random.below(total - start) };
  });
  return unionOfRanges(ranges);
}

function randomSpec(random: Random): ProofSpec {
  const data = { sent: random.bytes(20 + random.below(120)), received: random.bytes(20 + random.below(200)) };
  const direction = (): Direction => (random.below(2) === 0 ? 'sent' : 'received');
  const commitments = (most: number) =>
    Array.from({ length: random.below(most + 1) }, () => {
      const where = direction();
      const ranges = randomRanges(random, data[where].length);
      return { direction: where, ranges, algorithm: 1 + random.below(3), opened: random.below(4) > 0 };
    });
  const signer = SIGNERS[random.below(3)]?.(new Uint8Array(32).fill(1 + random.below(100)));
  if (signer === undefined) throw new Error('There are three signers');
  return {
    ...data,
    signer,
    hashAlgorithm: 1 + random.below(3),
    handshake: makeHandshake(leaf.privateKey, [leaf.der, mid.der], random.bytes),
    hashes: commitments(4),
    encodings: commitments(12),
    extensions: Array.from({ length: random.below(4) }, () => ({ id: random.bytes(4), value: random.bytes(9) })),
    identity: random.below(4) > 0,
    random: random.bytes,
  };
}

async function ours(bytes: Uint8Array): Promise<VerifiedPresentation | Error> {
  try {
    return await verifyPresentation(decodePresentation(bytes), checker);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Where ours is stricter than the official verifier, and why. Anything else that only ours refuses is a fault. */
const STRICTER: readonly RegExp[] = [
  /not sorted, apart and non-empty/, // it reduces any list of ranges to its canonical form
  /bytes follow its end/, // it ignores what follows
  /ranges are empty/,
  /body proof and header root name different hash algorithms/, // it never looks at the label of a proof
  /encoding proof and commitment name different hash algorithms/,
  /the encoding proof does not match its commitment/, // surplus sibling hashes
  /the body proof does not cover exactly the fields/, // it lets the prover drop the last fields
  /fields of the body are not numbered in order/,
  /attestation version \d+ is not supported/,
  /only TLS 1.2 sessions/,
  /notary signature does not hold/, // the recovery byte of Ethereum style signatures
  /server ephemeral key is not an uncompressed/, // without an identity it takes any bytes
  /transcript commitment: /, // unopened commitments of unknown algorithms or lengths
  /certificate commitment: /, // without an identity it is not looked at
  /commitment ends beyond the transcript/,
  /server name is not a DNS name in lower case/,
  /the encoding proof opens nothing/,
  /is more than the limit of/,
];

describe('proofs of every shape', () => {
  it('both verifiers accept, and say the same', async () => {
    for (let seed = 1; seed <= runs(6).numRuns; seed++) {
      const random = seededRandom(seed);
      const spec = randomSpec(random);
      const bytes = encodePresentation(await assembleProof(spec));
      const mine = await ours(bytes);
      const verdict = await oracle(bytes);
      if (mine instanceof Error) throw new Error(`seed ${seed}: ours refuses: ${mine.message}`);
      if (!verdict.accepted) throw new Error(`seed ${seed}: the official verifier refuses: ${verdict.reason}`);
      const { output } = verdict;
      expect(mine.serverName ?? undefined, `seed ${seed}`).toEqual(output.server_name);
      expect(mine.time).toBe(Number(output.connection_info.time));
      const unmasked = (direction: Direction) => {
        const side = mine.transcript?.[direction];
        const shown = Uint8Array.from(side?.bytes ?? []);
        for (const { start, end } of side?.hidden ?? []) shown.fill(0, start, end);
        return [...shown];
      };
      expect(unmasked('sent')).toEqual([...(output.transcript?.sent ?? [])]);
      expect(unmasked('received')).toEqual([...(output.transcript?.recv ?? [])]);
      expect(mine.transcript?.sent.revealed).toEqual(output.transcript?.sent_authed ?? []);
      expect(mine.transcript?.received.revealed).toEqual(output.transcript?.recv_authed ?? []);
    }
  });
});

/** A seeded change to the bytes: flips, overwrites, small numbers where counts are, cuts, insertions, swaps. */
function changeBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const at = random.below(changed.length);
  switch (random.below(6)) {
    case 0:
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      return changed;
    case 1:
      changed[at] = random.below(256);
      return changed;
    case 2:
      changed[at] = random.below(4);
      return changed;
    case 3:
      return concat(changed.subarray(0, at), changed.subarray(at + 1 + random.below(20)));
    case 4:
      return concat(changed.subarray(0, at), random.bytes(1 + random.below(20)), changed.subarray(at));
    default: {
      const from = random.below(changed.length);
      changed.copyWithin(at, from, from + 1 + random.below(32));
      return changed;
    }
  }
}

const nudge = (ranges: readonly ByteRange[], random: Random): ByteRange[] =>
  ranges.map((range, i) =>
    i === 0 ? { start: range.start, end: Math.max(range.start + 1, range.end + random.below(3) - 1) } : range,
  );
/** Changes that a dishonest prover or notary could make; the notary signs the changed attestation. */
const CHANGES: readonly ProofChange[] = [
  inBody(({ extensions }) => ({ extensions: [...extensions].reverse() })),
  inBody(({ extensions }) => ({ extensions: extensions.slice(1) })),
  inBody(({ transcriptCommitments: all }) => ({ transcriptCommitments: all.slice(0, -1) })),
  inBody(({ transcriptCommitments: all }) => ({ transcriptCommitments: [...all].reverse() })),
  (p) => {
    const { extensions, transcriptCommitments: all } = p.body;
    const [first] = all;
    if (first === undefined) return p;
    const transcriptCommitments = [...all, { id: all.length + extensions.length + 4, value: first.value }];
    return inBodyProof(({ leafCount }) => ({ leafCount: leafCount + 1 }))(inBody(() => ({ transcriptCommitments }))(p));
  },
  inBodyProof(({ algorithm }) => ({ algorithm: (algorithm % 3) + 1 })),
  inBodyProof(({ leafCount }) => ({ leafCount: leafCount + 1 })),
  inBodyProof((_proof, random) => ({ hashes: [random.bytes(32)] })),
  inHeader(() => ({ version: 1 })),
  (p) => ({ ...p, identity: null }),
  (p) => ({ ...p, transcript: null }),
  inConnection(({ sentLength }, random) => ({ sentLength: sentLength + random.below(3) })),
  inBody(({ certificateCommitment: { value } }) => ({
    certificateCommitment: { id: 3, value: { ...value, algorithm: 2 } },
  })),
  inTranscript(({ hashOpenings }) => ({ hashOpenings: [...hashOpenings, ...hashOpenings] })),
  inTranscript(({ hashOpenings }) => ({ hashOpenings: hashOpenings.slice(1) })),
  inHashOpenings((_opening, random) => ({ algorithm: random.below(5) })),
  inHashOpenings(({ ranges }, random) => ({ ranges: nudge(ranges, random) })),
  inHashOpenings(({ direction }) => ({ direction: direction === 'sent' ? 'received' : 'sent' })),
  inTranscript(() => ({ encodingProof: null })),
  inEncoding(({ openings }) => ({ openings: [...openings].reverse() })),
  inEncoding(({ openings }) => ({ openings: openings.slice(1) })),
  inTree(({ hashes }, random) => ({ hashes: [...hashes, random.bytes(32)] })),
  inTree(({ leafCount }, random) => ({ leafCount: Math.max(0, leafCount + random.below(5) - 2) })),
  inTree(({ algorithm }) => ({ algorithm: (algorithm % 3) + 1 })),
  inTranscript(({ sent }) => ({ sent: { ...sent, total: sent.total + 1 } })),
  inTranscript(({ received: { total } }) => ({ received: { bytes: new Uint8Array(), ranges: [], total } })),
];

describe('changed proofs', () => {
  it('ours never accepts what the official verifier refuses, and is stricter only on purpose', async () => {
    const { numRuns } = runs(56);
    // A few proofs, each changed in many ways.
    const bases: { spec: ProofSpec; sound: Presentation }[] = [];
    for (let i = 0; i < 14; i++) {
      const spec = randomSpec(seededRandom(10_000 + i));
      bases.push({ spec, sound: await assembleProof(spec) });
    }
    const counts = { accepted: 0, stricter: 0, refused: 0 };
    for (let seed = 1; seed <= numRuns; seed++) {
      const random = seededRandom(seed);
      const base = bases[seed % bases.length];
      if (base === undefined) throw new Error('There are proofs to change');
      const change = CHANGES[(seed >> 1) % CHANGES.length] ?? ((p) => p);
      const bytes =
        seed % 2 === 0
          ? changeBytes(encodePresentation(base.sound), random)
          : encodePresentation(await signAgain(change(base.sound, random), base.spec.signer));
      const mine = await ours(bytes);
      const verdict = await oracle(bytes);
      if (!(mine instanceof Error)) {
        if (!verdict.accepted) throw new Error(`seed ${seed}: only ours accepts; official: ${verdict.reason}`);
        counts.accepted++;
      } else if (verdict.accepted) {
        if (!STRICTER.some((reason) => reason.test(mine.message))) throw new Error(`seed ${seed}: ${mine.message}`);
        counts.stricter++;
      } else counts.refused++;
    }
    // The changes must reach both sides of the line, or the comparison shows nothing.
    expect(counts.accepted).toBeGreaterThan(numRuns / 20);
    expect(counts.stricter).toBeGreaterThan(numRuns / 40);
    expect(counts.refused).toBeGreaterThan(numRuns / 2.5);
  });
});
