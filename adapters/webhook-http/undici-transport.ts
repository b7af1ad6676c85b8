/** The webhook transport over undici. */
import { type Dispatcher, errors } from 'undici/index.js';
import { remembered } from '../../core/keep-newest.ts';
import { type EgressGuard, EgressRefused } from '../../core/ports/egress.ts';
import type { WebhookOutcome, WebhookRequest, WebhookTransport } from '../../core/ports/webhook-transport.ts';
import { createGuardedAgent } from '../egress-guard/index.ts';
import type { WebhookHttpSettings } from './options.ts';

/** Enough for any acknowledgement; the connection of a longer one is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A request beyond them waits, and its time runs meanwhile. */
const CONNECTIONS_PER_ORIGIN = 256;
/** For the log of deliveries. */
const MAX_KEPT_BYTES = 1024;
/** An idle connection is kept this long for the next delivery to the same receiver. */
const KEEP_ALIVE_MS = 4_000;

export async function createUndiciTransport(
  egress: EgressGuard,
  options: WebhookHttpSettings,
): Promise<WebhookTransport> {
  const agent = await createGuardedAgent(egress, {
    connectTimeoutMs: 10_000,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    agent: {
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
      // Each request has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
  });
  const stopsOf = createStops();
  return {
    send: (request) => new Promise((resolve) => post(agent, stopsOf, request, resolve)),
    close: () => agent.destroy(),
  };
}

/** What stops the requests under way, by their signal. One listener serves all of them: one for each would take longer. */
function createStops(): (signal: AbortSignal) => Set<() => void> {
  const bySignal = new WeakMap<AbortSignal, Set<() => void>>();
  return (signal) => {
    const known = bySignal.get(signal);
    if (known !== undefined) return known;
    const stops = new Set<() => void>();
    bySignal.set(signal, stops);
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop();
      },
      { once: true },
    );
    return stops;
  };
}

/**
 * Sends one request and calls `settle` once. Works on undici's dispatcher itself. No stream is made for an answer that nobody
 * reads. One timer is the deadline of everything, name resolution and the wait for a connection included.
 */
function post(
  agent: Dispatcher,
  stopsOf: (signal: AbortSignal) => Set<() => void>,
  request: WebhookRequest,
  settle: (outcome: WebhookOutcome) => void,
): void {
  const stops = request.signal && stopsOf(request.signal);
  let controller: Dispatcher.DispatchController | undefined;
  let answer: (WebhookOutcome & { readonly kind: 'answered' }) | undefined;
  let received = 0;
  let kept = Buffer.alloc(0);
  let isOver = false;
  const end = (outcome: WebhookOutcome) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(deadline);
    stops?.delete(stop);
    settle(outcome.kind === 'answered' ? { ...outcome, ...bodyOf(kept) } : outcome);
  };
  const giveUp = (outcome: WebhookOutcome) => {
    end(outcome);
    controller?.abort(new GivenUp());
  };
  const stop = () => giveUp(STOPPED);
  const deadline = setTimeout(() => giveUp(timeoutOf(request)), request.deadlineMs);
  if (request.signal?.aborted) {
    stop();
    return;
  }
  stops?.add(stop);
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      // While it waited for a connection.
      if (isOver) started.abort(new GivenUp());
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      const retryAfter = headers['retry-after'];
      answer = {
        kind: 'answered',
        status,
        retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
      };
    },
    onResponseData(_controller, chunk) {
      received += chunk.length;
      if (kept.length < MAX_KEPT_BYTES) kept = Buffer.concat([kept, chunk.subarray(0, MAX_KEPT_BYTES - kept.length)]);
      if (received > MAX_ANSWER_BYTES && answer !== undefined) giveUp(answer);
    },
    onResponseEnd() {
      end(answer ?? failureOf(undefined));
    },
    onResponseError(_controller, error) {
      // Whether the rest of an answer arrives changes nothing about its status.
      end(answer ?? failureOf(error));
    },
  };
  try {
    const { url, headers, body } = request;
    agent.dispatch({ ...targetOf(url), method: 'POST', headers, body }, handler);
  } catch (error) {
    end(failureOf(error));
  }
}

/** Nothing unless it is text in UTF-8. A character that the bound has cut in two is left out. */
function bodyOf(kept: Uint8Array): { readonly body?: string } {
  if (kept.length === 0) return {};
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(kept, { stream: true }) };
  } catch {
    return {};
  }
}

/** Reading a URL takes longer than finding it again. */
const MAX_TARGETS = 1_000;
const targetOf = remembered((text: string) => {
  const { origin, pathname, search } = new URL(text);
  return { origin, path: pathname + search };
}, MAX_TARGETS);

/** Ends a request whose outcome is known. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

const STOPPED: WebhookOutcome = {
  kind: 'failed',
  reason: 'connection',
  message: 'The request was given up because the service stops.',
};

function timeoutOf({ deadlineMs }: WebhookRequest): WebhookOutcome {
  const message = `The receiver did not answer within ${deadlineMs / 1_000} seconds.`;
  return { kind: 'failed', reason: 'timeout', message };
}

/** Messages name what happened in words of our own: a library's may hold addresses of the inner network. */
function failureOf(error: unknown): WebhookOutcome {
  if (error instanceof EgressRefused) {
    if (error.reason === 'timeout') return { kind: 'failed', reason: 'timeout', message: error.message };
    if (error.reason === 'unresolvable') return { kind: 'failed', reason: 'connection', message: error.message };
    return { kind: 'failed', reason: 'blocked', message: error.message };
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return { kind: 'failed', reason: 'protocol', message: "The receiver's answer is not HTTP that can be read." };
  }
  const code = codeOf(error);
  return { kind: 'failed', reason: 'connection', message: `The connection to the receiver failed (${code}).` };
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_/]{1,80}$/.test(code) ? code : 'unknown error';
}
