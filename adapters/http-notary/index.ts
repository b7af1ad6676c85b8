/** A notary that someone else runs: a Credence notary behind HTTP, with its key pinned. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { Agent, request as undiciRequest } from 'undici';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { NotaryAdapter } from '../../core/ports/adapter-values.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import { webProofSchema } from '../../core/web-proof/web-proof.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { checkAnswer } from './check-answer.ts';
import { httpNotaryOptions } from './options.ts';

export { httpNotaryOptions } from './options.ts';

/** What `createHttpNotary` takes. */
export interface HttpNotaryOptions extends z.input<typeof httpNotaryOptions> {
  /** Checks the proofs that the notary returns. */
  readonly verify: VerifyWebProof;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** A presentation has at most 1 MiB, twice that in hex. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const MAX_RETRY_AFTER_SECONDS = 300;

const failureSchema = z.object({
  error: z.object({ code: z.string().max(64), message: z.string().max(2_000) }),
});
const proofAnswerSchema = z.object({ data: webProofSchema });
const attestationAnswerSchema = z.object({
  data: z.object({
    attestation: z
      .string()
      .max(4_096)
      .regex(/^([0-9a-f]{2})+$/),
  }),
});

/** What a notary may say to our caller in its own words; everything else would be about our relation to it. */
const PASSED_ON = [
  'INVALID_REQUEST',
  'INTERNAL_SERVER_ERROR',
  'NAME_LOOKUP_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'PROOF_GENERATION_FAILED',
  'PROOF_NOT_SEALABLE',
] as const;

/**
 * Every answer is verified: signed by the pinned key, just now, about exactly the request that was asked for, hiding of it
 * exactly what was to be hidden. The notary is trusted with the request's credentials and with the redaction of the answer.
 * @throws ZodError for options out of range.
 */
export function createHttpNotary(options: HttpNotaryOptions): Notary {
  const settings = httpNotaryOptions.parse(options);
  const { verify, clock = systemClock } = options;
  const base = notaryLabel(settings.url);
  const queue = new FairQueue({
    name: 'remote notary',
    concurrency: settings.concurrency,
    maxWaiting: settings.maxQueued,
    maxWaitingPerCaller: settings.maxQueuedPerCaller,
    maxWaitMs: settings.maxWaitMs,
  });
  const agent = new Agent({
    connect: { timeout: 10_000, ...(settings.ca === undefined ? {} : { ca: settings.ca }) },
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  async function post<T>(path: string, body: unknown, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
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
    if (status === 200) {
      const parsed = schema.safeParse(answer);
      if (parsed.success) return parsed.data;
      throw unusable('answered in a form that is not known', parsed.error);
    }
    throw refusalOf(status, answer, retryAfter);
  }

  return {
    url: base,
    fingerprint: settings.fingerprint,
    async notarize(request, signal, caller) {
      let asked = 0;
      const notarized = () => {
        asked = Math.floor(clock.now().getTime() / 1000);
        return post('/notarize', request, proofAnswerSchema, signal);
      };
      const { data: proof } = await queue.run(notarized, caller, signal);
      const { warnings } = proof.meta;
      try {
        checkAnswer(await verify(proof), request, { fingerprint: settings.fingerprint, asked });
      } catch (error) {
        if (!isDomainError(error)) throw error;
        throw unusable(`sent a proof that is not acceptable: ${error.message.replace(/\.$/, '')}`, error);
      }
      // What it calls itself is not signed; callers know it by the configured name.
      return { data: proof.data, version: proof.version, meta: { notaryUrl: base, ...(warnings && { warnings }) } };
    },
    async attestQueries(webProof, queries, signal = new AbortController().signal, caller) {
      const attested = () => post('/attest-queries', { webProof, queries }, attestationAnswerSchema, signal);
      const { data } = await queue.run(attested, caller, signal);
      return hexToBytes(data.attestation);
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

function unusable(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The remote notary ${reason}.`, { cause });
}

/**
 * A notary that somebody else runs, as a value: as the default one, or as one that callers may choose.
 *
 *     createCredence({ notary: httpNotary({ url: 'https://notary.example', token, fingerprint }) });
 *
 * @throws ConfigurationError naming every unusable option
 */
export function httpNotary(options: z.input<typeof httpNotaryOptions>): NotaryAdapter {
  const settings = checkOptions('httpNotary', httpNotaryOptions.strict(), options);
  return { create: ({ verify, clock }) => createHttpNotary({ ...settings, verify, clock }) };
}
