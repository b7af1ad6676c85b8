import { DomainError } from '../../errors.ts';

/** Which side of a transcript is meant. */
export type TranscriptSide = 'request' | 'response';

/** The transcript is proven, but it is not the HTTP exchange it should be. */
export function transcriptError(side: TranscriptSide, reason: string, offset?: number): DomainError {
  const where = offset === undefined ? '' : ` (at byte ${offset})`;
  return new DomainError('INTERNAL_SERVER_ERROR', `Transcript parsing failed: ${side}: ${reason}${where}.`);
}
