import { once } from 'node:events';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { CheckedServer } from '../../core/ports/egress.ts';
import type { TlsRecord } from '../../core/ports/tls-exchange.ts';
import { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';
import { checkHandshake } from '../../core/web-proof/tlsnotary/verify-identity.ts';
import { connectChecked } from '../egress-guard/index.ts';
import { handshakeFailure, isHandshakeRefusal, NotaryFailure } from './failures.ts';
import { readHandshake } from './handshake.ts';
import { TappedStream } from './tapped-stream.ts';
import type { OfferName } from './tls-contexts.ts';

/** A connection over which nothing was sent yet, to a server that verifiers will accept. */
export interface ProvableConnection {
  readonly tls: TLSSocket;
  readonly tap: TappedStream;
  readonly handshake: TlsRecord['handshake'];
}

/**
 * Connects with the first of the offers that the server does not refuse.
 * @throws NotaryFailure if a presentation cannot hold the handshake, or verifiers would not accept it; the last refusal, or what
 * else TLS or TCP fail with
 */
export type Connect = (
  server: CheckedServer,
  offers: readonly OfferName[],
  time: number,
  signal: AbortSignal,
) => Promise<ProvableConnection>;

export function createConnect(
  certificates: CertificateChecker,
  contextFor: (offer: OfferName) => SecureContext,
): Connect {
  const connectWith = async (
    { serverName, port, addresses }: CheckedServer,
    secureContext: SecureContext,
    time: number,
    signal: AbortSignal,
  ): Promise<ProvableConnection> => {
    const tap = new TappedStream(await connectChecked(addresses, port, signal));
    const tls = tlsConnect({ socket: tap, servername: serverName, secureContext, ALPNProtocols: ['http/1.1'] });
    tls.disableRenegotiation();
    tap.on('error', (error) => tls.destroy(error));
    // An error rejects the wait that is under way; one that comes after the last wait has no reader.
    tls.on('error', () => {});
    try {
      await once(tls, 'secureConnect', { signal });
      const { client, server } = tap.takeHandshake();
      const handshake = readHandshake(client, server);
      await checkServer(certificates, serverName, time, handshake);
      return { tls, tap, handshake };
    } catch (error) {
      tls.destroy();
      tap.destroy();
      throw handshakeFailure(error, tap.takeHandshake().server, tls.readableEnded);
    }
  };

  return async (server, offers, time, signal) => {
    let refusal: unknown;
    for (const offer of offers) {
      try {
        return await connectWith(server, contextFor(offer), time, signal);
      } catch (error) {
        if (!isHandshakeRefusal(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  };
}

/**
 * Asks the strict checker of the verifier, which knows rules that Node's TLS does not (name constraints, algorithms, path
 * lengths). It remembers the chains that it accepted.
 */
async function checkServer(
  checker: CertificateChecker,
  serverName: string,
  time: number,
  handshake: TlsRecord['handshake'],
): Promise<void> {
  const { certificates } = handshake;
  if (certificates.length > LIMITS.certificates) {
    throw new NotaryFailure(
      `the server sends ${certificates.length} certificates, but a proof holds at most ${LIMITS.certificates}: shorten its chain`,
    );
  }
  if (certificates.some(({ length }) => length > LIMITS.certificate)) {
    throw new NotaryFailure(`the server sends a certificate of more than ${LIMITS.certificate} bytes`);
  }
  const verdict = await checkHandshake(checker, handshake, serverName, time);
  if (!verdict.ok) throw new NotaryFailure(`its certificate cannot be proven: ${verdict.reason}`);
}
