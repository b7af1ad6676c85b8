/** What of the requests that can be proven a blind session can carry. */

import { DomainError } from 'credence/kit';
import {
  allVisible,
  type ByteRange,
  type HttpRequest,
  headersNamed,
  parseRequest,
  policyOf,
  revealedOfRequest,
  UnreadableJsonError,
  writeRequest,
} from 'credence/kit/notaries';
import type { NotarizeRequest } from 'credence/ports';
import type { MpcRequest } from '../mpc-tls.ts';
import { readJsonBody } from './json-body.ts';

/** A request that a blind session can carry. */
export interface BlindRequest {
  readonly serverName: string;
  readonly port: number;
  readonly message: MpcRequest;
  /** Most bytes that the request has, whatever the order of its headers and the engine's way to write JSON. */
  readonly length: number;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/**
 * The request as MPC-TLS makes it.
 * @throws DomainError `INVALID_REQUEST` naming what a blind session cannot do and what to do about it
 */
export function toBlindRequest(request: NotarizeRequest): BlindRequest {
  const method = METHODS.find((known) => known === request.method);
  if (method === undefined) {
    throw unable(`the method ${request.method} is not one of ${METHODS.join(', ')}`);
  }
  const { serverName, port, bytes } = writeRequest(request);
  const parsed = parseRequest(allVisible(bytes));
  const seen = new Set<string>();
  for (const { name } of parsed.headers) {
    if (seen.has(name)) throw unable(`the header ${name} is there twice: send it once`);
    seen.add(name);
  }
  const [host] = headersNamed(parsed, 'host');
  const revealed = revealedOfRequest(parsed, policyOf(request));
  if (host === undefined || !isShown(revealed, host.line.start, host.line.end)) {
    throw unable('the Host header is hidden, but only it says which host of the server was asked: show it');
  }
  const body = bodyOf(request);
  return {
    serverName,
    port,
    length: bytes.length + (body === undefined ? 0 : JSON_SLACK),
    message: {
      method,
      target: parsed.target,
      headers: parsed.headers
        .filter(({ name }) => name !== 'content-length')
        .map(({ name, value }) => [name, value] as const),
      body,
    },
  };
}

/** The engine may write numbers with more digits than were given. */
const JSON_SLACK = 64;

function isShown(revealed: readonly ByteRange[], start: number, end: number): boolean {
  return revealed.some((range) => range.start <= start && end <= range.end);
}

/** The engine reads bodies as JSON and writes them again. */
function bodyOf({ body }: NotarizeRequest): unknown {
  if (body === undefined) return undefined;
  try {
    return readJsonBody(new TextEncoder().encode(body));
  } catch (error) {
    if (!(error instanceof UnreadableJsonError)) throw error;
    throw unable(`the body must be JSON that can be written again without a change, but ${error.message}`);
  }
}

/**
 * Makes sure that what the engine sent is what it was asked to send, since everything hidden is found in it.
 * @throws DomainError `INTERNAL_SERVER_ERROR` if it is another request
 */
export function checkSent(sent: HttpRequest, { message }: BlindRequest, request: NotarizeRequest): void {
  const wanted = new Map(message.headers);
  const isSame =
    sent.method === message.method &&
    sent.target === message.target &&
    sent.headers.every(
      ({ name, value }) => name === 'content-length' || name === 'content-type' || wanted.get(name) === value,
    ) &&
    [...wanted].every(([name]) => headersNamed(sent, name).length === 1) &&
    (request.body === undefined ? sent.body.bytes.length === 0 : isSameJson(sent.body.bytes, message.body));
  if (!isSame)
    throw new DomainError('INTERNAL_SERVER_ERROR', 'The MPC engine sent another request than it was asked to.');
}

function isSameJson(bytes: Uint8Array, value: unknown): boolean {
  try {
    return canonical(readJsonBody(bytes)) === canonical(value);
  } catch {
    return false;
  }
}

/** JSON text with the members of objects in one order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function unable(reason: string): DomainError {
  return new DomainError('INVALID_REQUEST', `A blind notary cannot prove this: ${reason}.`);
}
