import type { Transcribe, Transcript, TranscriptShapes, Transcripts } from '../ports/transcripts.ts';
import { toVerifiedTranscriptV1, toVerifiedTranscriptV2, transcriptBytes } from './verified-transcript.ts';
import type { VerifiedWebProof, VerifyWebProof } from './verify.ts';

/** Verifies where it is called. */
export function createTranscribe(verify: VerifyWebProof): Transcribe {
  return async (proof, shape) => transcriptOf(await verify(proof), shape);
}

/** Verifies in the process's own thread, all callers at once. */
export function createTranscriptsInProcess(verify: VerifyWebProof): Transcripts {
  const transcribe = createTranscribe(verify);
  return { run: (_work, task) => task(transcribe), close: async () => {} };
}

/** Verifies single proofs by `transcripts`: a large one in its caller's turn, where it holds up nothing else. */
export function createVerifyInTurn(transcripts: Transcripts): VerifyWebProof {
  return async (proof, { caller = '', signal = new AbortController().signal } = {}) => {
    const work = { size: proof.data.length, proofs: 1, caller, signal };
    return (await transcripts.run(work, (transcribe) => transcribe(proof, 'whole'))).transcript;
  };
}

function transcriptOf<S extends keyof TranscriptShapes>(verified: VerifiedWebProof, shape: S): Transcript<S> {
  const v2 = toVerifiedTranscriptV2(verified);
  const make: { readonly [Name in keyof TranscriptShapes]: () => TranscriptShapes[Name] } = {
    v1: () => toVerifiedTranscriptV1(verified),
    v2: () => v2,
    whole: () => verified,
  };
  return { transcript: make[shape](), bytes: transcriptBytes(v2), tlsTimestamp: v2.tlsTimestamp };
}
