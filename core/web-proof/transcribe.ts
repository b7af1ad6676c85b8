import type { Transcribe, Transcript, TranscriptShapes, Transcripts } from '../ports/transcripts.ts';
import { toVerifiedTranscriptV1, toVerifiedTranscriptV2, transcriptBytes } from './verified-transcript.ts';
import type { VerifiedWebProof, VerifyWebProof } from './verify.ts';

/** Verifies where it is called. */
export function createTranscribe(verify: VerifyWebProof): Transcribe {
  return async (proof, shape, hold) => transcriptOf(await verify(proof, hold), shape);
}

/** Verifies in the process's own thread, all callers at once. */
export function createTranscriptsInProcess(verify: VerifyWebProof): Transcripts {
  const transcribe = createTranscribe(verify);
  return { run: (_work, task) => task(transcribe), close: async () => {} };
}

function transcriptOf<S extends keyof TranscriptShapes>(verified: VerifiedWebProof, shape: S): Transcript<S> {
  const v2 = toVerifiedTranscriptV2(verified);
  const shapes: Partial<TranscriptShapes> = shape === 'v2' ? { v2 } : { v1: toVerifiedTranscriptV1(verified) };
  return { transcript: shapes[shape] as TranscriptShapes[S], bytes: transcriptBytes(v2) };
}
