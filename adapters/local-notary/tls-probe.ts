/** Tells whether MPC-TLS can connect to a server, before any work is spent on it. */
import { once } from 'node:events';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { CheckedAddress } from '../../core/ports/egress.ts';
import { connectChecked } from '../egress-guard/index.ts';
import { diagnose } from './diagnosis.ts';
import { connectionFailure, handshakeRefused, isHandshakeRefusal } from './failures.ts';
import { readHandshake } from './handshake.ts';
import { createCheckServer } from './provable-servers.ts';
import { TappedStream } from './tapped-stream.ts';
import { createTlsContexts, type OfferName } from './tls-contexts.ts';

export interface TlsProbeOptions {
  readonly certificates: CertificateChecker;
  /** PEM roots trusted besides Node's. */
  readonly extraRoots: readonly string[];
  readonly clock: Clock;
}

/** A server whose addresses have been checked. */
export interface ProbedServer {
  readonly serverName: string;
  readonly port: number;
  readonly addresses: readonly CheckedAddress[];
}

/**
 * Makes a handshake with what MPC-TLS can do: TLS 1.2, ECDHE over P-256, AES-128-GCM. Sends no request.
 * @returns a function that throws DomainError `INTERNAL_SERVER_ERROR` with the reason if the server cannot be proven this way.
 * If the signal fires, the function rejects with the signal's reason
 */
export function createTlsProbe({ certificates, extraRoots, clock }: TlsProbeOptions) {
  const checkServer = createCheckServer(certificates);
  const contextFor = createTlsContexts(extraRoots);

  async function handshake(server: ProbedServer, offer: OfferName, signal: AbortSignal): Promise<void> {
    const tap = new TappedStream(await connectChecked(server.addresses, server.port, signal));
    const secureContext = contextFor(offer);
    const tls: TLSSocket = tlsConnect({
      socket: tap,
      servername: server.serverName,
      secureContext,
      ALPNProtocols: ['http/1.1'],
    });
    // The one it waits for tells; later ones have nobody to tell.
    tls.on('error', () => {});
    tap.on('error', () => {});
    try {
      await once(tls, 'secureConnect', { signal });
      const recorded = tap.takeHandshake();
      const opening = readHandshake(recorded.client, recorded.server);
      await checkServer(server.serverName, Math.floor(clock.now().getTime() / 1000), opening);
    } finally {
      tls.destroy();
      tap.destroy();
    }
  }

  async function tryOffers(server: ProbedServer, signal: AbortSignal): Promise<void> {
    let refusal: unknown;
    for (const offer of ['blind', 'blindWithP384'] as const) {
      try {
        return await handshake(server, offer, signal);
      } catch (error) {
        if (!isHandshakeRefusal(error)) throw error;
        refusal = error;
      }
    }
    throw handshakeRefused(await refusalReason(server, signal), refusal);
  }

  /** The attesting notary can do more: if its offers are taken, the cipher suite is what is missing. */
  async function refusalReason(server: ProbedServer, signal: AbortSignal): Promise<string> {
    const ofSuites = 'offers no cipher suite with AES-128-GCM, the only one that MPC-TLS can do';
    for (const offer of ['provable', 'provableWithP384'] as const) {
      const isTaken = await handshake(server, offer, signal).then(
        () => true,
        (error: unknown) => !isHandshakeRefusal(error),
      );
      if (isTaken) return ofSuites;
    }
    return (await diagnose(server, server.addresses, contextFor, signal)) ?? ofSuites;
  }

  return async (server: ProbedServer, signal: AbortSignal): Promise<void> => {
    try {
      await tryOffers(server, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw connectionFailure(server.serverName, error);
    }
  };
}
