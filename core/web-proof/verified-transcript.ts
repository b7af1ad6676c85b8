import { bytesToHex } from '@noble/hashes/utils.js';
import type { HttpHeader } from './http/message.ts';
import { jsonBytes } from './json-bytes.ts';
import type { VerifiedWebProof } from './verify.ts';

/** What request and response have alike. */
interface ShownMessage<Header> {
  readonly version: string;
  readonly headers: readonly Header[];
  readonly body: string | null;
  readonly raw: string;
}

/**
 * `data` of verify v2 (docs/specification/web-proofs.md#verified-transcript), with `hostConfirmed`, `notaryTrusted` and
 * `notarization` beside it.
 */
export interface VerifiedTranscriptV2 {
  readonly serverDomain: string;
  readonly hostConfirmed: boolean;
  readonly notaryKeyFingerprint: string;
  readonly notaryTrusted: boolean;
  /** `attesting`: the notary made the request. `blind`: it saw what the proof shows. Missing if its notary does not say. */
  readonly notarization?: 'attesting' | 'blind';
  readonly tlsTimestamp: number;
  readonly request: { readonly method: string; readonly url: string } & ShownMessage<string>;
  readonly response: { readonly status: number } & ShownMessage<string>;
}

type HeaderPair = readonly [name: string, value: string];

/** The flat answer of verify v1: no envelope, headers in pairs, no timestamp. */
export interface VerifiedTranscriptV1
  extends Pick<VerifiedTranscriptV2, 'serverDomain' | 'hostConfirmed' | 'notaryKeyFingerprint' | 'notaryTrusted'> {
  readonly success: true;
  readonly request: { readonly method: string; readonly url: string } & ShownMessage<HeaderPair>;
  readonly response: { readonly status: number } & ShownMessage<HeaderPair>;
}

/** Headers as `name: value`; a line of which the colon is hidden stays as it is. */
export function toVerifiedTranscriptV2(proof: VerifiedWebProof): VerifiedTranscriptV2 {
  const { serverDomain, hostConfirmed, notaryKeyFingerprint, notaryTrusted, notarization } = proof;
  const { tlsTimestamp, request, response } = proof;
  return {
    serverDomain,
    hostConfirmed,
    notaryKeyFingerprint,
    notaryTrusted,
    ...(notarization !== null && { notarization }),
    tlsTimestamp,
    request: { method: request.method, url: request.target, ...shownMessage(request) },
    response: { status: response.status, ...shownMessage(response) },
  };
}

function shownMessage({ version, headers, text, raw }: VerifiedWebProof['request' | 'response']): ShownMessage<string> {
  return { version, headers: headers.map(headerLine), body: text, raw: bytesToHex(raw) };
}

/** The same facts in v1's shape. A line of which the colon is hidden is a name with an empty value. */
export function toVerifiedTranscriptV1(proof: VerifiedWebProof): VerifiedTranscriptV1 {
  const { serverDomain, hostConfirmed, notaryKeyFingerprint, notaryTrusted, request, response } =
    toVerifiedTranscriptV2(proof);
  return {
    success: true,
    serverDomain,
    hostConfirmed,
    notaryKeyFingerprint,
    notaryTrusted,
    request: { ...request, headers: proof.request.headers.map(headerPair) },
    response: { ...response, headers: proof.response.headers.map(headerPair) },
  };
}

/** Bytes of JSON of all that can be long in a transcript; known before it is written. About the same for v1. */
export function transcriptBytes({ request, response }: VerifiedTranscriptV2): number {
  let size = jsonBytes(request.url);
  for (const { headers, body, raw } of [request, response]) {
    size += raw.length;
    for (const text of body === null ? headers : [...headers, body]) size += jsonBytes(text);
  }
  return size;
}

function headerLine({ name, value, opaque }: HttpHeader): string {
  return opaque ? name : `${name}: ${value}`;
}

function headerPair({ name, value }: HttpHeader): HeaderPair {
  return [name, value];
}
