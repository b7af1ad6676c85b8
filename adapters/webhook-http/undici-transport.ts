/** The webhook transport over undici. */
import { type Dispatcher, errors } from 'undici';
import { type EgressGuard, EgressRefused } from '../../core/ports/egress.ts';
import type { WebhookOutcome, WebhookRequest, WebhookTransport } from '../../core/ports/webhook-transport.ts';
import { createGuardedAgent } from '../egress-guard/index.ts';
import type { WebhookHttpSettings } from './options.ts';

/** Enough for any acknowledgement; the connection of a longer one is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
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
      connections: options.connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
    },
  });
  return {
    async send(request) {
      const deadline = AbortSignal.timeout(request.deadlineMs);
      const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
      try {
        return await within(signal, post(agent, request, signal));
      } catch (error) {
        return failureOf(error, request, deadline.aborted && request.signal?.aborted !== true);
      }
    },
    close: () => agent.destroy(),
  };
}

async function post(agent: Dispatcher, request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> {
  const url = new URL(request.url);
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: { ...request.headers },
    body: request.body,
    signal,
    headersTimeout: request.deadlineMs,
    bodyTimeout: request.deadlineMs,
  });
  await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal });
  const retryAfter = answer.headers['retry-after'];
  return {
    kind: 'answered',
    status: answer.statusCode,
    retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
  };
}

/** The deadline holds also where the work itself does not look at the signal, for example in name resolution. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Messages name what happened in words of our own: a library's may hold addresses of the inner network. */
function failureOf(error: unknown, request: WebhookRequest, timedOut: boolean): WebhookOutcome {
  if (timedOut) {
    const seconds = request.deadlineMs / 1_000;
    return { kind: 'failed', reason: 'timeout', message: `The receiver did not answer within ${seconds} seconds.` };
  }
  if (error instanceof EgressRefused) {
    if (error.reason === 'timeout') return { kind: 'failed', reason: 'timeout', message: error.message };
    if (error.reason === 'unresolvable') return { kind: 'failed', reason: 'connection', message: error.message };
    return { kind: 'failed', reason: 'blocked', message: error.message };
  }
  if (request.signal?.aborted) {
    return { kind: 'failed', reason: 'connection', message: 'The request was given up because the service stops.' };
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return { kind: 'failed', reason: 'protocol', message: "The receiver's answer is not HTTP that can be read." };
  }
  const code = codeOf(error);
  return { kind: 'failed', reason: 'connection', message: `The connection to the receiver failed (${code}).` };
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown error';
}
