import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls';
import { DomainError } from '../../core/errors.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type CheckedAddress, type EgressGuard, EgressRefused } from '../../core/ports/egress.ts';
import type { TlsExchange, TlsRecord, TlsRequest } from '../../core/ports/tls-exchange.ts';
import { connectChecked } from '../egress-guard/index.ts';
import { connectionFailure, isHandshakeRefusal, NotaryFailure } from './failures.ts';
import { readHandshake } from './handshake.ts';
import { createCheckServer } from './provable-servers.ts';
import { ReceivedBytes } from './received-bytes.ts';
import { TappedStream } from './tapped-stream.ts';

export interface Tls12ExchangeOptions {
  readonly guard: EgressGuard;
  readonly certificates: CertificateChecker;
  readonly clock: Clock;
  /** PEM roots trusted besides Node's. */
  readonly extraRoots: readonly string[];
}

const CIPHERS = ['ECDSA-AES128', 'RSA-AES128', 'ECDSA-AES256', 'RSA-AES256']
  .map((suite) => `ECDHE-${suite}-GCM-SHA${suite.endsWith('256') ? '384' : '256'}`)
  .join(':');

/** OpenSSL's names of the schemes that verifiers accept: an unusable server then fails in the handshake already. */
const SIGNATURE_ALGORITHMS = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ed25519',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
];

/** How long the server is given to take our goodbye before the connection is cut. */
const GOODBYE_MS = 250;

/** The TLS client of a notary: Node's own TLS over a connection whose handshake is recorded. */
export function createTls12Exchange(options: Tls12ExchangeOptions): TlsExchange {
  const { guard, certificates, clock, extraRoots } = options;
  const checkServer = createCheckServer(certificates);
  const contexts = new Map<string, SecureContext>();

  /** Parsing all roots takes milliseconds, so each context is made once. */
  function contextFor(groups: string): SecureContext {
    const known = contexts.get(groups);
    if (known !== undefined) return known;
    const context = createSecureContext({
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      ecdhCurve: groups,
      sigalgs: SIGNATURE_ALGORITHMS.join(':'),
      ca: [...rootCertificates, ...extraRoots],
    });
    contexts.set(groups, context);
    return context;
  }

  async function attempt(
    request: TlsRequest,
    addresses: readonly CheckedAddress[],
    time: number,
    groups: string,
    signal: AbortSignal,
  ): Promise<TlsRecord> {
    const socket = await connectChecked(addresses, request.port, signal);
    const tap = new TappedStream(socket);
    const tls = tlsConnect({
      socket: tap,
      servername: request.serverName,
      secureContext: contextFor(groups),
      ALPNProtocols: ['http/1.1'],
    });
    tls.disableRenegotiation();
    const received = new ReceivedBytes();
    const { promise, resolve, reject } = Promise.withResolvers<TlsRecord>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });

    let handshake: TlsRecord['handshake'] | undefined;
    const start = async () => {
      const { client, server } = tap.takeHandshake();
      const opening = readHandshake(client, server);
      const verdict = await checkServer(request.serverName, time, opening);
      if (!verdict.ok) throw new NotaryFailure(`its certificate cannot be proven: ${verdict.reason}`);
      handshake = opening;
      tls.write(request.bytes);
    };
    tls.on('secureConnect', () => {
      start().catch(reject);
    });
    tls.on('data', (chunk: Buffer) => {
      try {
        if (handshake === undefined) throw new NotaryFailure('the server answered before it was asked');
        received.append(chunk);
        if (received.length > request.maxReceived) throw tooLarge(request.maxReceived);
        if (request.end.isComplete(received.bytes)) resolve({ time, received: received.bytes, handshake });
      } catch (error) {
        reject(error);
      }
    });
    tls.on('end', () => {
      const orderly = request.end.endsWithConnection && tap.endedOrderly;
      if (orderly && handshake !== undefined) resolve({ time, received: received.bytes, handshake });
      else reject(new NotaryFailure('the server ended the connection before its answer was complete'));
    });
    tls.on('error', reject);
    tap.on('error', reject);
    tls.on('close', () => reject(new NotaryFailure('the connection was closed before the answer was complete')));

    try {
      const record = await promise;
      tls.end();
      setTimeout(() => tap.destroy(), GOODBYE_MS).unref();
      return record;
    } catch (error) {
      tls.destroy();
      tap.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      tls.removeAllListeners('data');
    }
  }

  return {
    async exchange(request, signal) {
      const time = Math.floor(clock.now().getTime() / 1000);
      const addresses = await checkTarget(guard, request);
      signal.throwIfAborted();
      try {
        return await attempt(request, addresses, time, 'P-256', signal).catch((error: unknown) => {
          // In TLS 1.2 the offered groups also limit certificates: only with P-384 offered will its owner answer.
          if (!isHandshakeRefusal(error)) throw error;
          return attempt(request, addresses, time, 'P-256:P-384', signal);
        });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw connectionFailure(request.serverName, error);
      }
    },
  };
}

async function checkTarget(guard: EgressGuard, { serverName, port }: TlsRequest): Promise<readonly CheckedAddress[]> {
  try {
    return await guard.resolve(serverName, port);
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    const code = error.reason === 'unresolvable' ? 'INTERNAL_SERVER_ERROR' : 'INVALID_REQUEST';
    throw new DomainError(code, error.message, { cause: error });
  }
}

function tooLarge(limit: number): NotaryFailure {
  return new NotaryFailure(`its answer is larger than maxRecvData (${limit} bytes); raise it or ask for less`);
}
