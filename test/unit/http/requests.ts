/** Requests and rows for tests of the dispatcher and its parts. */
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import type { Caller } from '../../../core/access/token.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { createDispatcher, type Dispatcher, type DispatcherDeps } from '../../../plugins/http/dispatcher.ts';
import type { BodySource, HttpRequest } from '../../../plugins/http/message.ts';
import { defineRoute, type Reply, type Route, type RouteInput } from '../../../plugins/http/route.ts';

export const ADMIN: Caller = { role: 'admin', tokenId: 1, externalId: null, key: 'token:1' };
export const CLIENT: Caller = { role: 'client', tokenId: 2, externalId: null, key: 'token:2' };
export const CREATOR: Caller = { role: 'creator', tokenId: 3, externalId: 'user-1', key: 'token:3' };

const CALLERS: Readonly<Record<string, Caller>> = { admin: ADMIN, client: CLIENT, creator: CREATOR };

/** Known bearer tokens are `admin`, `client` and `creator`. */
export const authenticate = async (token: string): Promise<Caller | null> => CALLERS[token] ?? null;

export type Input = RouteInput<unknown, unknown, unknown>;

/** A row for administrators that answers with an empty object. */
export function row(
  changes: Partial<Route> = {},
  handle: (input: Input) => Promise<Reply> = async () => ({ status: 200, body: {} }),
): Route {
  const base = defineRoute('test', 'POST /test', {
    tag: 'Test',
    summary: 'For tests',
    access: 'admin',
    responses: {},
    handle: async () => ({ status: 200 }),
  });
  return { ...base, handle, ...changes } as Route;
}

export function request(changes: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    params: {},
    query: '',
    headers: { authorization: 'Bearer admin' },
    body: { kind: 'none' },
    native: null,
    ip: () => '192.0.2.1',
    baseUrl: () => 'http://localhost:3000',
    signal: () => new AbortController().signal,
    ...changes,
  };
}

/** A request with a JSON body as bytes. */
export function jsonRequest(value: unknown, changes: Partial<HttpRequest> = {}): HttpRequest {
  const body: BodySource = { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(value)) };
  const json = { 'content-type': 'application/json' };
  return request({ body, ...changes, headers: { ...request().headers, ...json, ...changes.headers } });
}

/** A stream that says how much of it was read. */
export function streamOf(...chunks: string[]): { source: BodySource; read: () => number } {
  let read = 0;
  async function* stream() {
    for (const chunk of chunks) {
      read += 1;
      yield new TextEncoder().encode(chunk);
    }
  }
  return { source: { kind: 'stream', stream: stream() }, read: () => read };
}

export interface LoggedLine {
  readonly level: string;
  readonly facts: object;
}

/** A dispatcher with a fresh limiter, and what it logged. */
export function testDispatcher(changes: Partial<DispatcherDeps> = {}): Dispatcher & { readonly lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const log = (level: string) => (facts: object) => {
    lines.push({ level, facts });
  };
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } as Logger;
  return { ...createDispatcher({ authenticate, limiter: createMemoryRateLimiter(), logger, ...changes }), lines };
}
