/** Tells whether MPC-TLS can connect to a server, before any work is spent on it. */
import type { NotaryContext } from '../../core/ports/adapter-values.ts';
import type { CheckedServer } from '../../core/ports/egress.ts';
import { diagnose } from './diagnosis.ts';
import { connectionFailure, handshakeRefused, isHandshakeRefusal } from './failures.ts';
import { createConnect } from './provable-servers.ts';
import { createTlsContexts, type OfferName } from './tls-contexts.ts';

/**
 * Makes a handshake with what MPC-TLS can do: TLS 1.2, ECDHE over P-256, AES-128-GCM. Sends no request.
 * @returns a function that throws DomainError `INTERNAL_SERVER_ERROR` with the reason if the server cannot be proven this way.
 * If the signal fires, the function rejects with the signal's reason
 */
export function createTlsProbe({
  certificates,
  extraRoots,
  clock,
}: Pick<NotaryContext, 'certificates' | 'extraRoots' | 'clock'>) {
  const contextFor = createTlsContexts(extraRoots);
  const connect = createConnect(certificates, contextFor);
  const handshake = async (server: CheckedServer, offers: readonly OfferName[], signal: AbortSignal): Promise<void> => {
    const { tls, tap } = await connect(server, offers, Math.floor(clock.now().getTime() / 1000), signal);
    tls.destroy();
    tap.destroy();
  };

  /** The attesting notary can do more: if its offers are taken, the cipher suite is what is missing. */
  async function refusalReason(server: CheckedServer, signal: AbortSignal): Promise<string> {
    const ofSuites = 'offers no cipher suite with AES-128-GCM, the only one that MPC-TLS can do';
    const isTaken = await handshake(server, ['provable', 'provableWithP384'], signal).then(
      () => true,
      (error: unknown) => !isHandshakeRefusal(error),
    );
    return isTaken ? ofSuites : ((await diagnose(server, server.addresses, contextFor, signal)) ?? ofSuites);
  }

  return async (server: CheckedServer, signal: AbortSignal): Promise<void> => {
    try {
      await handshake(server, ['blind', 'blindWithP384'], signal);
    } catch (error) {
      const isRefusal = isHandshakeRefusal(error);
      const failure = isRefusal ? handshakeRefused(await refusalReason(server, signal), error) : error;
      if (signal.aborted) throw signal.reason;
      throw connectionFailure(server.serverName, failure);
    }
  };
}
