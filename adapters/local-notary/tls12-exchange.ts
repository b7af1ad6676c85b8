import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
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
import { type CheckServer, createCheckServer } from './provable-servers.ts';
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

  async function attemptOffers(
    request: TlsRequest,
    addresses: readonly CheckedAddress[],
    time: number,
    signal: AbortSignal,
  ): Promise<TlsRecord> {
    const attempt = async (offer: OfferName) => {
      const tap = new TappedStream(await connectChecked(addresses, request.port, signal));
      return await new ServerConnection(tap, contextFor(offer), checkServer, request, time).exchange(signal);
    };
    try {
      return await attempt('provable');
    } catch (error) {
      if (!isHandshakeRefusal(error)) throw error;
    }
    try {
      return await attempt('provableWithP384');
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

/** One connection to the server: its handshake, the request, and the answer or why there is none. */
class ServerConnection {
  readonly #tap: TappedStream;
  readonly #tls: TLSSocket;
  readonly #checkServer: CheckServer;
  readonly #request: TlsRequest;
  readonly #time: number;
  readonly #received = new ReceivedBytes();
  readonly #record = Promise.withResolvers<TlsRecord>();
  #isSecure = false;
  /** Set when the server is asked. */
  #handshake: TlsRecord['handshake'] | undefined;

  constructor(
    tap: TappedStream,
    secureContext: SecureContext,
    checkServer: CheckServer,
    request: TlsRequest,
    time: number,
  ) {
    this.#tap = tap;
    this.#tls = tlsConnect({ socket: tap, servername: request.serverName, secureContext, ALPNProtocols: ['http/1.1'] });
    this.#tls.disableRenegotiation();
    this.#checkServer = checkServer;
    this.#request = request;
    this.#time = time;
  }

  async exchange(signal: AbortSignal): Promise<TlsRecord> {
    const { promise, reject } = this.#record;
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const fail = (error: unknown) => reject(this.#isSecure ? answerFailure(error) : handshakeFailure(error, this.#tap));
    this.#tap.on('error', fail);
    this.#tls
      .on('secureConnect', () => void this.#ask().catch(reject))
      .on('data', (chunk: Buffer) => this.#receive(chunk))
      .on('end', () => this.#end())
      .on('error', fail)
      .on('close', () => reject(new NotaryFailure('the connection was closed before the answer was complete')));
    try {
      const record = await promise;
      this.#tls.end();
      setTimeout(() => this.#tap.destroy(), GOODBYE_MS).unref();
      return record;
    } catch (error) {
      this.#tls.destroy();
      this.#tap.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#tls.removeAllListeners('data');
    }
  }

  async #ask(): Promise<void> {
    this.#isSecure = true;
    const { client, server } = this.#tap.takeHandshake();
    const handshake = readHandshake(client, server);
    await this.#checkServer(this.#request.serverName, this.#time, handshake);
    this.#handshake = handshake;
    this.#tls.write(this.#request.bytes);
  }

  #receive(chunk: Buffer): void {
    const { maxReceived, end } = this.#request;
    try {
      if (this.#handshake === undefined) throw new NotaryFailure('the server answered before it was asked');
      this.#received.append(chunk);
      if (this.#received.length > maxReceived) throw tooLarge(maxReceived);
      if (end.isComplete(this.#received.bytes)) this.#answer(this.#handshake);
    } catch (error) {
      this.#record.reject(error);
    }
  }

  #end(): void {
    const orderly = this.#request.end.endsWithConnection && this.#tap.endedOrderly;
    const when = this.#isSecure ? 'before its answer was complete' : 'in the TLS handshake';
    if (orderly && this.#handshake !== undefined) this.#answer(this.#handshake);
    else this.#record.reject(new NotaryFailure(`the server ended the connection ${when}`));
  }

  #answer(handshake: TlsRecord['handshake']): void {
    this.#record.resolve({ time: this.#time, received: this.#received.bytes, handshake });
  }
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

/** Bytes as they come in, always at hand in one piece; doubling keeps the copying linear. */
class ReceivedBytes {
  #buffer = new Uint8Array(16 * 1024);
  #length = 0;

  append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  get length(): number {
    return this.#length;
  }

  /** A view that holds good until the next `append`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
