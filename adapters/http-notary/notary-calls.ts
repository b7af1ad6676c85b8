/** Calls to the API of a notary that someone else runs. */
import { Agent, request as undiciRequest } from 'undici/index.js';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import type { httpNotaryOptions } from './options.ts';

/** How far the notary's clock may be from ours, and how long a request may take. */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** A presentation has at most 1 MiB, twice that in hex. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const MAX_RETRY_AFTER_SECONDS = 300;

const failureSchema = z.object({
  error: z.object({ code: z.string().max(64), message: z.string().max(2_000) }),
});
/** What a notary may say to our caller in its own words; everything else would be about our relation to it. */
const PASSED_ON = [
  'INVALID_REQUEST',
  'INTERNAL_SERVER_ERROR',
  'NAME_LOOKUP_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'PROOF_GENERATION_FAILED',
  'PROOF_NOT_SEALABLE',
  'NOT_SUPPORTED',
] as const;

/** How the notary is reached. */
export type NotaryAddress = Pick<z.output<typeof httpNotaryOptions>, 'url' | 'token' | 'ca' | 'timeoutMs'>;

/** The calls of one notary. */
export interface NotaryCalls {
  /**
   * Posts a body and checks the answer.
   * @throws DomainError with the notary's own code and words if they are for our caller, else `INTERNAL_SERVER_ERROR`; rejects with
   * the signal's reason when that fires
   */
  post<T>(path: string, body: unknown, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** The calls of one notary, over connections that are kept. */
export function createNotaryCalls(settings: NotaryAddress): NotaryCalls {
  const base = notaryLabel(settings.url);
  const agent = new Agent({
    connect: { timeout: 10_000, ...(settings.ca === undefined ? {} : { ca: settings.ca }) },
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  return {
    async post(path, body, schema, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs)]);
      let status: number;
      let retryAfter: unknown;
      let answer: unknown;
      try {
        const response = await undiciRequest(`${base}${path}`, {
          method: 'POST',
          dispatcher: agent,
          signal: limited,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${settings.token}` },
          body: JSON.stringify(body),
        });
        status = response.statusCode;
        retryAfter = response.headers['retry-after'];
        answer = await response.body.json();
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        throw unusable(limited.aborted ? 'did not answer in time' : 'cannot be reached or gave no JSON answer', cause);
      }
      if (status === 200 || status === 201) {
        const parsed = schema.safeParse(answer);
        if (parsed.success) return parsed.data;
        throw unusable('answered in a form that is not known', parsed.error);
      }
      throw refusalOf(status, answer, retryAfter);
    },
    close: () => agent.destroy(),
  };
}

function refusalOf(status: number, answer: unknown, retryAfter: unknown): DomainError {
  const parsed = failureSchema.safeParse(answer);
  const code = PASSED_ON.find((known) => known === parsed.data?.error.code);
  if (code === 'SERVICE_UNAVAILABLE' || status === 503) return busy(parsed.data?.error.message, retryAfter);
  if (code !== undefined) return new DomainError(code, parsed.data?.error.message ?? '');
  const reason = status === 401 || status === 403 ? 'does not accept the configured token' : `answered with ${status}`;
  return unusable(reason);
}

function busy(message = 'The remote notary is not available.', retryAfter: unknown): DomainError {
  const seconds = Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Number(retryAfter) || 1));
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: seconds });
}

/** The remote notary is of no use for this call. */
export function unusable(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The remote notary ${reason}.`, { cause });
}
