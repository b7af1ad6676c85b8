import { readHead } from '../http/parse-response.ts';
import { decodeLatin1 } from '../http/text.ts';
import type { ProvableMethod } from '../prove-request.ts';
import { allVisible } from '../tlsnotary/visible-bytes.ts';

/**
 * Finds out, while bytes come in, when a response is complete. So a server that keeps the connection open does not
 * keep the prover waiting. It only finds the end; whether everything up to it is well-formed, the parser says afterwards.
 */
export interface ResponseEnd {
  /**
   * @param received everything so far.
   * @returns true when the response is complete.
   * @throws DomainError `INTERNAL_SERVER_ERROR` for a malformed head or chunk.
   */
  isComplete(received: Uint8Array): boolean;
  /** True when the response ends with the connection; then only an orderly end of it is one. */
  readonly endsWithConnection: boolean;
  /** Where the tunnel of a successful CONNECT begins; what the server sends from there on is not part of its response. */
  readonly tunnelStart: number | undefined;
}

type Phase =
  | { readonly kind: 'head' }
  | { readonly kind: 'until-close' }
  | { readonly kind: 'length'; readonly end: number; readonly isTunnel?: boolean }
  | { readonly kind: 'chunk-size' }
  | { readonly kind: 'trailers' };

const CR = 0x0d;
const LF = 0x0a;
/** A chunk's size line: 8 digits and an extension of reasonable length. */
const MAX_SIZE_LINE = 1_024;

export function createResponseEnd(method: ProvableMethod): ResponseEnd {
  let phase: Phase = { kind: 'head' };
  /** Where the current head, chunk or trailer section starts. */
  let start = 0;
  /** How far an end of line has been looked for. */
  let searched = 0;

  /** Whether the response is complete; null when there may be more to read already. */
  function advance(received: Uint8Array): boolean | null {
    switch (phase.kind) {
      case 'until-close':
        return false;
      case 'length':
        return received.length >= phase.end;
      case 'head': {
        const end = endOfBlock(received);
        if (end === null) return false;
        phase = afterHead(received.subarray(0, end), start, method);
        start = end;
        searched = end;
        return null;
      }
      case 'chunk-size':
        return nextChunk(received);
      case 'trailers':
        return endOfBlock(received) !== null;
    }
  }

  function nextChunk(received: Uint8Array): boolean | null {
    // What follows a chunk must be CRLF; anything else is left to the parser, too.
    if (received.length >= start && !endsLine(received, start)) return true;
    const lineEnd = received.indexOf(LF, Math.max(searched, start));
    if (lineEnd === -1) {
      searched = received.length;
      // A line that never ends is left to the parser to complain about.
      return received.length - start > MAX_SIZE_LINE;
    }
    if (!endsLine(received, lineEnd + 1)) return true;
    const digits = /^[0-9A-Fa-f]{1,8}/.exec(decodeLatin1(received.subarray(start, start + 8)))?.[0];
    if (digits === undefined) return true;
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      phase = { kind: 'trailers' };
      // The line's own CRLF counts as the first half of an empty trailer section's end.
      start = lineEnd - 1;
    } else {
      start = lineEnd + 1 + size + 2;
    }
    searched = start;
    return null;
  }

  /**
   * Offset behind the first empty line that has not been looked for yet. A bare CR or LF ends the block too, so that the parser
   * refuses it now. A server that writes those may never send an empty line.
   */
  function endOfBlock(received: Uint8Array): number | null {
    for (let at = searched; at < received.length; at++) {
      const byte = received[at];
      if (byte === LF) return at + 1;
      if (byte !== CR) continue;
      searched = at;
      if (at + 1 === received.length) return null;
      const isEmptyLine = at >= start + 2 && received[at - 1] === LF;
      if (received[at + 1] !== LF || isEmptyLine) return at + 2;
      at++;
    }
    searched = received.length;
    return null;
  }

  return {
    get endsWithConnection() {
      return phase.kind === 'until-close';
    },
    get tunnelStart() {
      return phase.kind === 'length' && phase.isTunnel === true ? phase.end : undefined;
    },
    isComplete(received) {
      for (;;) {
        const complete = advance(received);
        if (complete !== null) return complete;
      }
    },
  };
}

function endsLine(received: Uint8Array, end: number): boolean {
  return received[end - 2] === CR && received[end - 1] === LF;
}

function afterHead(received: Uint8Array, start: number, method: ProvableMethod): Phase {
  const { next, ending } = readHead(allVisible(received), start, method);
  switch (ending.kind) {
    case 'interim':
      return { kind: 'head' };
    case 'bare':
      return { kind: 'length', end: next, isTunnel: ending.isTunnel };
    case 'length':
      return { kind: 'length', end: next + ending.length };
    case 'chunked':
      return { kind: 'chunk-size' };
    case 'none':
      return { kind: 'until-close' };
  }
}
