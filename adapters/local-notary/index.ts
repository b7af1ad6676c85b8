/** The embedded notary: makes the HTTPS request itself and signs what it saw. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { NotaryContext } from '../../core/ports/adapter-values.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import type { AttestQueries, Notary } from '../../core/ports/notary.ts';
import { type RandomSource, systemRandom } from '../../core/ports/random-source.ts';
import { type AttestationExtensions, createNotarize } from '../../core/web-proof/notarize/notarize.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import { FORMAT_VERSION } from '../../core/web-proof/tlsnotary/presentation.ts';
import { FairQueue } from '../fair-queue/index.ts';
import type { NotaryKey } from './notary-key.ts';
import { notaryLimits } from './options.ts';
import { createTls12Exchange } from './tls12-exchange.ts';

export { readHandshake } from './handshake.ts';
export { loadNotaryKey, type NotaryKey, notaryKey, publicKeyPem } from './notary-key.ts';
export { notarySecret } from './notary-secret.ts';
export { type EmbeddedNotaryOptions, localNotary } from './options.ts';
export { TappedStream } from './tapped-stream.ts';
export { createTlsProbe } from './tls-probe.ts';
export { checkTarget } from './tls12-exchange.ts';

const settingsSchema = notaryLimits.extend({
  /** Where this notary is known to be; the format's version is put behind it when it does not are there. */
  url: z.url(),
  /** PEM roots that target servers may chain to besides Node's. @default [] */
  extraRoots: z.array(z.string()).default([]),
  /** How long a request may wait for its turn. @default 10_000 */
  maxWaitMs: z.int().min(1).default(10_000),
});

/** What `createLocalNotary` takes. */
export interface LocalNotaryOptions
  extends z.input<typeof settingsSchema>,
    Pick<NotaryContext, 'guard' | 'certificates' | 'decoder'> {
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default the system randomness */
  readonly random?: RandomSource;
  /** Signs the attestations. */
  readonly key: NotaryKey;
  /** Adds signed fields to every attestation. */
  readonly attestationExtensions?: AttestationExtensions;
  /** Attests values of proofs afterwards; not offered when missing. */
  readonly attestQueries?: AttestQueries;
}

/** @throws ZodError for options out of range. */
export function createLocalNotary(options: LocalNotaryOptions): Notary {
  const settings = settingsSchema.parse(options);
  const { key, guard, certificates, decoder, clock = systemClock, random = systemRandom } = options;
  const url = notaryLabel(settings.url);
  const queue = new FairQueue({ name: 'notary', ...settings });
  const closing = new AbortController();
  const notarize = createNotarize({
    tls: createTls12Exchange({ guard, certificates, clock, extraRoots: settings.extraRoots }),
    signer: createSecp256k1Signer(key.secretKey),
    decoder,
    random,
    attestationExtensions: options.attestationExtensions ?? (() => []),
  });

  return {
    url,
    fingerprint: key.fingerprint,
    ...(options.attestQueries === undefined ? {} : { attestQueries: options.attestQueries }),
    async notarize(request, signal, caller) {
      const either = AbortSignal.any([signal, closing.signal]);
      const { presentation, warnings } = await queue.run(
        () => withDeadline(settings.timeoutMs, either, (limited) => notarize(request, limited)),
        caller,
        either,
      );
      const meta = warnings.length === 0 ? { notaryUrl: url } : { notaryUrl: url, warnings: [...warnings] };
      return { data: bytesToHex(presentation), version: FORMAT_VERSION, meta };
    },
    async close() {
      closing.abort(new DomainError('SERVICE_UNAVAILABLE', 'The notary is shutting down.'));
      await queue.onIdle();
    },
  };
}

/** Runs the work under the caller's signal and a deadline of our own. */
async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (error !== deadline.reason) throw error;
    const message = `The server did not answer completely within ${milliseconds / 1000} seconds.`;
    throw new DomainError('INTERNAL_SERVER_ERROR', message);
  }
}
