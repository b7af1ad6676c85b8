/** Changes to parts of a proof: what a dishonest prover or notary could make of it. */
import type { EncodingProof, HashOpening, Presentation } from '../../core/web-proof/tlsnotary/presentation.ts';
import { seededRandom } from './proof-builder.ts';

type Random = ReturnType<typeof seededRandom>;
type Change<Part> = (part: Part, random: Random) => Partial<Part>;

export type ProofChange = (presentation: Presentation, random?: Random) => Presentation;

/** A part that the proof has not stays away. */
const inPart =
  <Key extends keyof Presentation>(key: Key) =>
  (change: Change<NonNullable<Presentation[Key]>>): ProofChange =>
  (presentation, random = seededRandom(0)) => {
    const part = presentation[key];
    return part === null ? presentation : { ...presentation, [key]: { ...part, ...change(part, random) } };
  };

export const inHeader = inPart('header');
export const inBody = inPart('body');
export const inBodyProof = inPart('bodyProof');
export const inIdentity = inPart('identity');
export const inTranscript = inPart('transcript');

export const inHashOpenings = (change: Change<HashOpening>) =>
  inTranscript((t, random) => ({ hashOpenings: t.hashOpenings.map((each) => ({ ...each, ...change(each, random) })) }));
export const inEncoding = (change: Change<EncodingProof>) =>
  inTranscript(({ encodingProof: proof }, random) => ({
    encodingProof: proof && { ...proof, ...change(proof, random) },
  }));
export const inTree = (change: Change<EncodingProof['proof']>) =>
  inEncoding(({ proof }, random) => ({ proof: { ...proof, ...change(proof, random) } }));
export const inOpenings = (change: Change<EncodingProof['openings'][number]>) =>
  inEncoding((e, random) => ({ openings: e.openings.map((each) => ({ ...each, ...change(each, random) })) }));
export const inConnection = (change: Change<Presentation['body']['connectionInfo']['value']>) =>
  inBody(({ connectionInfo: { id, value } }, random) => ({
    connectionInfo: { id, value: { ...value, ...change(value, random) } },
  }));
