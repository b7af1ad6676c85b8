/** What of the requests that can be proven a blind session can carry. */

import { DomainError } from 'credence/kit';
import {
  allVisible,
  type ByteRange,
  decodeUtf8,
  type HttpRequest,
  headersNamed,
  parseJson,
  parseRequest,
  policyOf,
  readJson,
  revealedOfRequest,
  UnreadableJsonError,
  writeRequest,
} from 'credence/kit/notaries';
import type { NotarizeRequest } from 'credence/ports';
import type { MpcRequest } from '../mpc-tls.ts';

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

/** Of text that is JSON, so that each string has its end. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?[0-9][0-9.eE+-]*/g;
const DECIMAL = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const MAX_SHOWN = 40;

/**
 * The value of a JSON body. Its numbers are read as doubles, and of two members with one name the engine keeps the last.
 * @throws UnreadableJsonError for what is not JSON, and for values that would change
 */
function readJsonBody(bytes: Uint8Array): unknown {
  const source = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = parseJson(source ?? '');
  } catch {
    throw new UnreadableJsonError('it is not JSON');
  }
  for (const [token] of readJson(bytes).text.matchAll(TOKEN)) {
    const isKept = token.startsWith('"') ? (JSON.parse(token) as string).isWellFormed() : isDouble(token);
    if (!isKept) throw new UnreadableJsonError(`${token.slice(0, MAX_SHOWN)} would be sent as another value`);
  }
  return value;
}

/** True for a number whose digits a double keeps, and which is no integer beyond those that all readers know. */
function isDouble(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  const [written, kept] = [decimal(token), decimal(String(value))];
  return written.digits === kept.digits && written.exponent === kept.exponent;
}

/** The digits of a number without zeros at their ends, and the exponent of ten behind them. */
function decimal(token: string): { readonly digits: string; readonly exponent: number } {
  const [, integer = '', fraction = '', exponent = '0'] = DECIMAL.exec(token) ?? [];
  const all = integer + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === '0') start++;
  while (start < end && all[end - 1] === '0') end--;
  const digits = all.slice(start, end);
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - end };
}
