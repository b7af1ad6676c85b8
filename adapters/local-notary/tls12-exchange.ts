import { connect as tlsConnect } from 'node:tls';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type CheckedAddress, type EgressGuard, type EgressRefusal, EgressRefused } from '../../core/ports/egress.ts';
import type { TlsExchange, TlsRecord, TlsRequest } from '../../core/ports/tls-exchange.ts';
import { MAX_RECV_DATA } from '../../core/web-proof/prove-request.ts';
import { connectChecked } from '../egress-guard/index.ts';
import { diagnose } from './diagnosis.ts';
import {
  answerFailure,
  connectionFailure,
  handshakeRefused,
  isHandshakeAlert,
  isHandshakeRefusal,
  NotaryFailure,
} from './failures.ts';
import { asksForClientCertificate, readHandshake } from './handshake.ts';
import { createCheckServer } from './provable-servers.ts';
import { ReceivedBytes } from './received-bytes.ts';
import { TappedStream } from './tapped-stream.ts';
import { createTlsContexts, type OfferName } from './tls-contexts.ts';

export interface Tls12ExchangeOptions {
  readonly guard: EgressGuard;
  readonly certificates: CertificateChecker;
  readonly clock: Clock;
  /** PEM roots trusted besides Node's. */
  readonly extraRoots: readonly string[];
}

/** How long the server is given to take our goodbye before the connection is cut. */
const GOODBYE_MS = 250;

/** The TLS client of a notary: Node's own TLS over a connection whose handshake is recorded. */
export function createTls12Exchange(options: Tls12ExchangeOptions): TlsExchange {
  const { guard, certificates, clock, extraRoots } = options;
  const checkServer = createCheckServer(certificates);
  const contextFor = createTlsContexts(extraRoots);

  async function attempt(
    request: TlsRequest,
    addresses: readonly CheckedAddress[],
    time: number,
    offer: OfferName,
    signal: AbortSignal,
  ): Promise<TlsRecord> {
    const socket = await connectChecked(addresses, request.port, signal);
    const tap = new TappedStream(socket);
    const tls = tlsConnect({
      socket: tap,
      servername: request.serverName,
      secureContext: contextFor(offer),
      ALPNProtocols: ['http/1.1'],
    });
    tls.disableRenegotiation();
    const received = new ReceivedBytes();
    const { promise, resolve, reject } = Promise.withResolvers<TlsRecord>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });

    let isSecure = false;
    let handshake: TlsRecord['handshake'] | undefined;
    const start = async () => {
      isSecure = true;
      const { client, server } = tap.takeHandshake();
      const opening = readHandshake(client, server);
      await checkServer(request.serverName, time, opening);
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
        if (request.end.isComplete(received.bytes)) answer(handshake);
      } catch (error) {
        reject(error);
      }
    });
    const ended = () => {
      const orderly = request.end.endsWithConnection && tap.endedOrderly;
      if (orderly && handshake !== undefined) answer(handshake);
      else if (isSecure) reject(new NotaryFailure('the server ended the connection before its answer was complete'));
      else reject(new NotaryFailure('the server ended the connection in the TLS handshake'));
    };
    tls.on('end', ended);
    const fail = (error: unknown) => reject(isSecure ? answerFailure(error) : handshakeFailure(error, tap));
    tls.on('error', fail);
    tap.on('error', fail);
    const closed = () => reject(new NotaryFailure('the connection was closed before the answer was complete'));
    tls.on('close', closed);
    const answer = (opening: TlsRecord['handshake']) => {
      // The end that follows would make errors for nobody, a tenth of a millisecond each.
      tls.off('end', ended).off('close', closed);
      resolve({ time, received: received.bytes, handshake: opening });
    };

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

  async function attemptOffers(
    request: TlsRequest,
    addresses: readonly CheckedAddress[],
    time: number,
    signal: AbortSignal,
  ): Promise<TlsRecord> {
    try {
      return await attempt(request, addresses, time, 'provable', signal);
    } catch (error) {
      if (!isHandshakeRefusal(error)) throw error;
    }
    try {
      return await attempt(request, addresses, time, 'provableWithP384', signal);
    } catch (error) {
      if (!isHandshakeRefusal(error)) throw error;
      const reason = await diagnose(request, addresses, contextFor, signal);
      throw reason === null ? error : handshakeRefused(reason);
    }
  }

  return {
    async exchange(request, signal) {
      const time = Math.floor(clock.now().getTime() / 1000);
      const addresses = await checkTarget(guard, request, signal);
      try {
        return await attemptOffers(request, addresses, time, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw connectionFailure(request.serverName, error);
      }
    },
  };
}

/** What a refusal of the guard is to the caller; any other is a target that no request may have. */
const TARGET_FAILURES: Partial<Record<EgressRefusal, ErrorCode>> = {
  unresolvable: 'INTERNAL_SERVER_ERROR',
  timeout: 'NAME_LOOKUP_TIMEOUT',
};

/** Where a request may be sent. @throws DomainError as `Notary.notarize` says */
export async function checkTarget(
  guard: EgressGuard,
  { serverName, port }: Pick<TlsRequest, 'serverName' | 'port'>,
  signal: AbortSignal,
): Promise<readonly CheckedAddress[]> {
  try {
    return await guard.resolve(serverName, port, signal);
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw new DomainError(TARGET_FAILURES[error.reason] ?? 'INVALID_REQUEST', error.message, { cause: error });
  }
}

/** A server that wants a client certificate ends the handshake without saying so. */
function handshakeFailure(error: unknown, tap: TappedStream): unknown {
  const { server } = tap.takeHandshake();
  const isDemanded = isHandshakeAlert(error) && asksForClientCertificate(server);
  return isDemanded ? new NotaryFailure('the server demands a client certificate, which no proof can show') : error;
}

function tooLarge(limit: number): NotaryFailure {
  return new NotaryFailure(
    limit < MAX_RECV_DATA
      ? `its answer is larger than maxRecvData (${limit} bytes); raise it or ask for less`
      : `its answer is larger than the most that can be proven (maxRecvData: ${limit} bytes); ask for less`,
  );
}
