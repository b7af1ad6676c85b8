/**
 * A prover elsewhere with the same API as ours: for services that should not spend their own processor on proofs. Its answer
 * is used only when its journal is byte for byte the one that was verified here.
 */

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { Agent, request as undiciRequest } from 'undici/index.js';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import type { ZkProverAdapter } from '../../core/ports/adapter-values.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { programId } from '../../core/web-proof/attested-values/program.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { type HttpProverOptions, httpProverOptionsSchema } from './options.ts';

export { type HttpProverOptions, httpProverOptionsSchema } from './options.ts';

const MAX_RETRY_AFTER_SECONDS = 300;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const hex = z.custom<`0x${string}`>((value) => typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})+$/.test(value));
const compressed = z.object({
  success: z.literal(true),
  data: z.object({ zkProof: hex, journalDataAbi: hex, guestId: hex.optional() }),
});
const guest = z.object({ success: z.literal(true), data: z.object({ guestId: hex }) });
const refused = z.object({ success: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) });

/**
 * A prover that asks the service at `url`. The web proof is sent to it, so it sees what the proof reveals.
 * @throws ZodError that names the option
 */
export function createHttpProver(options: HttpProverOptions): ZkProver {
  const { url, token, timeoutMs, ...queueOptions } = httpProverOptionsSchema.parse(options);
  const queue = new FairQueue({ name: 'remote prover', ...queueOptions });
  const closing = new AbortController();
  const agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });

  const ask = async <T>(path: string, answer: z.ZodType<T>, body?: unknown, signal?: AbortSignal): Promise<T> => {
    const signals = [closing.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    let retryAfter: unknown;
    let json: unknown;
    try {
      const response = await undiciRequest(`${url}/api/v2.0${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher: agent,
        signal: AbortSignal.any(signals),
      });
      retryAfter = response.headers['retry-after'];
      json = await response.body.json();
    } catch (cause) {
      if (cause instanceof SyntaxError)
        throw failed('The remote prover answered with something that is not JSON.', cause);
      throw failed('The remote prover could not be reached or did not answer in time.', cause);
    }
    return read(json, answer, retryAfter);
  };

  let known: `0x${string}` | undefined;
  const guestId = async () => {
    known ??= (await ask('/evm/guest-id', guest)).data.guestId.toLowerCase() as `0x${string}`;
    return known;
  };
  return {
    guestId,

    async prove({ presentation, queries, journal, attester, facts: { requestBody } }, signal, caller) {
      const request = {
        presentation,
        ...(queries.length === 0 ? {} : { extraction: { 'response.body': { jmespath: queries } } }),
        ...(requestBody === undefined ? {} : { acceptRequestBody: true }),
      };
      const proven = () => ask('/evm/compress-web-proof', compressed, request, signal);
      const { data } = await queue.run(proven, caller, signal);
      if (data.journalDataAbi.toLowerCase() !== `0x${bytesToHex(journal)}`) {
        throw failed('The remote prover answered with another journal than the one verified here.');
      }
      if (
        data.guestId !== undefined &&
        data.guestId.toLowerCase() !== programId(await guestId(), attester, requestBody)
      ) {
        // It may have other keys since it was asked.
        known = undefined;
        throw failed(
          'The remote prover sealed for another guest id than expected. Give both services the same notaries and trusted notaries.',
        );
      }
      return hexToBytes(data.zkProof.slice(2));
    },

    async close() {
      const reason = failed('The prover is shut down.');
      queue.refuseWaiting(reason);
      closing.abort(reason);
      await agent.destroy();
    },
  };
}

function read<T>(json: unknown, answer: z.ZodType<T>, retryAfter: unknown): T {
  const refusal = refused.safeParse(json);
  if (refusal.success) {
    const { code, message } = refusal.data.error;
    if (code === 'SERVICE_UNAVAILABLE') throw busy(retryAfter);
    throw failed(`The remote prover refused: ${code.slice(0, 64)}: ${message.slice(0, 500)}`);
  }
  const accepted = answer.safeParse(json);
  if (!accepted.success) throw failed('The remote prover answered in another shape than expected.', accepted.error);
  return accepted.data;
}

function busy(retryAfter: unknown): DomainError {
  const seconds = Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Number(retryAfter) || 1));
  const message = `The remote prover is busy. Try again in ${seconds} s.`;
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: seconds });
}

function failed(message: string, cause?: unknown): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message, cause === undefined ? {} : { cause });
}

/**
 * A prover elsewhere as a value: `createCredence({ zkProver: httpProver({ url: 'https://prover.example', token }) })`.
 * @throws ConfigurationError naming every unusable option
 */
export function httpProver(options: HttpProverOptions): ZkProverAdapter {
  checkOptions('httpProver', httpProverOptionsSchema, options);
  return { create: () => createHttpProver(options) };
}
