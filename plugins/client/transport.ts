/** Sends requests to an instance: with its token, in time, repeated if that is safe. */
import { startTimer } from '../../core/long-timer.ts';
import { isRefusal, parseJson, readText, refusalOf } from './answer.ts';
import { CredenceApiError, CredenceConnectionError } from './errors.ts';
import { isRepeatable, waitBefore } from './retry.ts';
import type { CallOptions } from './types.ts';
import type { Warning } from './warnings.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where an instance is, and how it is called. */
export interface ClientOptions {
  /** Where the instance is mounted, for example `https://api.example.com/engagement`. In a browser, a path of the page's origin too. */
  readonly url: string;
  /** The bearer token; a function is asked before each request. Without one, no `Authorization` header is sent. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** How long a call may take, retries and waits included. @default 120_000 */
  readonly timeoutMs?: number | undefined;
  /** How often a call is retried. @default 2 */
  readonly maxRetries?: number | undefined;
  /** Largest answer that is read. @default 64 MiB */
  readonly maxAnswerBytes?: number | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Called with each warning of an answer, before the call returns. For example, a rule of a redaction hides nothing, or nobody
   * gets an event that was sent again. If it throws, the call rejects with that.
   * @default writes it with `console.warn`
   */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined;
}

/** A request: its path is below the mount, with its query. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON if set. */
  readonly body?: unknown;
}

/** Sends a request and resolves to its answer, parsed. */
export type Send = (request: ApiRequest, options?: CallOptions) => Promise<unknown>;

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_RETRIES = 2;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const KEY_BYTES = 16;
const TOKEN = /^[\x21-\x7e]+$/;

/** Never shows the token. */
class UnusableToken extends TypeError {
  constructor() {
    super('`token` must be printable ASCII without spaces.');
  }
}

/**
 * Makes the function that sends requests. It throws `CredenceApiError` for a refusal, and `CredenceConnectionError` if no answer of
 * Credence came in time. A token that no header can carry is a TypeError. An aborted signal gives its reason.
 * @throws TypeError for a URL that is none, and for options that are no object
 */
export function createTransport(options: ClientOptions): Send {
  const base = baseOf(options);
  const { maxAnswerBytes = DEFAULT_MAX_BYTES, token, fetch: send = (url, init) => fetch(url, init) } = options;

  async function sendOnce(request: ApiRequest, key: string | undefined, signal: AbortSignal): Promise<unknown> {
    const bearer = typeof token === 'function' ? await token() : token;
    const headers: Record<string, string> = { ...options.headers, accept: 'application/json' };
    // Before `fetch` refuses it: its error would repeat the token, and look like a server that cannot be reached.
    if (bearer !== undefined && !TOKEN.test(bearer)) throw new UnusableToken();
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    if (key !== undefined) headers['idempotency-key'] = key;
    const init: RequestInit = { method: request.method, headers, signal, redirect: 'manual' };
    if (request.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(request.body);
    }
    const response = await send(`${base}${request.path}`, init);
    // Followed, it would carry the token to another place.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      throw new CredenceConnectionError(`${base} redirects to another URL: set \`url\` to that one.`);
    }
    const parsed = parseJson(await readText(response, maxAnswerBytes));
    // Most often a wrong path: every 404 of Credence has its error body.
    const isElsewhere = response.status === 404 && !isRefusal(parsed?.value);
    if (!response.ok && !isElsewhere) throw new CredenceApiError(refusalOf(response, parsed?.value));
    if (parsed !== null && !isElsewhere) return parsed.value;
    const what = isElsewhere ? 'it answers 404 without an error of Credence' : 'its answer is not JSON';
    throw new CredenceConnectionError(`What answers at ${base} is not Credence: ${what}. Check \`url\`.`);
  }

  return async (request, call = {}) => {
    const { timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = call;
    const { maxRetries = options.maxRetries ?? DEFAULT_RETRIES } = call;
    const key = request.method === 'POST' ? (call.idempotencyKey ?? randomKey()) : undefined;
    const repeatable = isRepeatable(request.method, key);
    if (Number.isNaN(Number(timeoutMs))) throw new TypeError('`timeoutMs` must be a number of milliseconds.');
    const deadline = createDeadline(timeoutMs, call.signal, base);
    try {
      for (let tries = 1; ; tries += 1) {
        deadline.signal.throwIfAborted();
        try {
          return await sendOnce(request, key, deadline.signal);
        } catch (thrown) {
          deadline.signal.throwIfAborted();
          const error = failureOf(thrown, base);
          const wait = tries > maxRetries ? null : waitBefore(error, repeatable, tries);
          if (wait === null || wait >= deadline.leftMs()) throw error;
          await deadline.sleep(wait);
        }
      }
    } finally {
      deadline.end();
    }
  };
}

function baseOf(options: unknown): string {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError("The options must be an object, such as { url: 'https://credence.example', token }.");
  }
  const { url } = options as { readonly url?: unknown };
  const parsed = parseUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const given = typeof url === 'string' ? JSON.stringify(url) : String(url);
    throw new TypeError(`\`url\` must be an http or https URL such as https://credence.example, not ${given}.`);
  }
  return `${parsed.origin}${parsed.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function parseUrl(url: unknown): URL | null {
  if (typeof url !== 'string' && !(url instanceof URL)) return null;
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  try {
    return new URL(url, location?.href);
  } catch {
    return null;
  }
}

function failureOf(thrown: unknown, base: string): unknown {
  const kinds = [CredenceApiError, CredenceConnectionError, UnusableToken];
  if (kinds.some((kind) => thrown instanceof kind)) return thrown;
  const { cause, message } = thrown as { cause?: { code?: string; message?: string }; message?: string };
  const reason = cause?.code ?? cause?.message ?? message ?? String(thrown);
  return new CredenceConnectionError(`Cannot reach ${base} (${reason}). Is it running?`, { cause: thrown });
}

interface Deadline {
  /** Aborts with the reason of the caller's signal, or with an error about the time. */
  readonly signal: AbortSignal;
  leftMs(): number;
  sleep(ms: number): Promise<void>;
  end(): void;
}

function createDeadline(timeoutMs: number, outer: AbortSignal | undefined, base: string): Deadline {
  const controller = new AbortController();
  const until = performance.now() + timeoutMs;
  const message = `No answer of ${base} within ${timeoutMs} ms: set timeoutMs for more.`;
  const expire = () => controller.abort(new CredenceConnectionError(message, { isTimeout: true }));
  const stopTimer = startTimer(expire, timeoutMs);
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  const { signal } = controller;
  return {
    signal,
    leftMs: () => until - performance.now(),
    async sleep(ms) {
      await new Promise<void>((resolve) => {
        const waited = setTimeout(resolve, ms);
        const stop = () => {
          clearTimeout(waited);
          resolve();
        };
        signal.addEventListener('abort', stop, { once: true });
      });
      signal.throwIfAborted();
    },
    end() {
      stopTimer();
      outer?.removeEventListener('abort', abort);
    },
  };
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
