/** Transcripts of which parts are hidden. */
import {
  type ByteRange,
  complementOfRanges,
  sliceRanges,
  unionOfRanges,
} from '../../core/web-proof/tlsnotary/ranges.ts';
import { layOut, type VisibleBytes } from '../../core/web-proof/tlsnotary/visible-bytes.ts';

/** What verifiers see of bytes of which these ranges are hidden. */
export function hiding(bytes: Uint8Array, hidden: readonly ByteRange[]): VisibleBytes {
  const revealed = complementOfRanges(unionOfRanges(hidden), bytes.length);
  return layOut(sliceRanges(bytes, revealed), revealed, bytes.length);
}

/** The bytes of a text, a character each, and the ranges of what stands between « and ». */
export function unmarked(text: string): { readonly bytes: Uint8Array; readonly hidden: readonly ByteRange[] } {
  const pieces = text.split(/[«»]/);
  const bytes = Uint8Array.from(Buffer.from(pieces.join(''), 'latin1'));
  const hidden: ByteRange[] = [];
  let at = 0;
  for (const [index, { length }] of pieces.entries()) {
    if (index % 2 === 1) hidden.push({ start: at, end: at + length });
    at += length;
  }
  return { bytes, hidden };
}

/** What verifiers see of a text of which is hidden what stands between « and ». */
export function marked(text: string): VisibleBytes {
  const { bytes, hidden } = unmarked(text);
  return hiding(bytes, hidden);
}
