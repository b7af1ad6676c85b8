import { addAbortSignal } from 'node:stream';
import { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';
import type { NotaryContext } from '../../core/ports/adapter-values.ts';
import { type CheckedAddress, type EgressGuard, type EgressRefusal, EgressRefused } from '../../core/ports/egress.ts';
import type { TlsExchange, TlsRequest } from '../../core/ports/tls-exchange.ts';
import { MAX_RECV_DATA } from '../../core/web-proof/prove-request.ts';
import { diagnose } from './diagnosis.ts';
import { answerFailure, connectionFailure, handshakeRefused, isHandshakeRefusal, NotaryFailure } from './failures.ts';
import { createConnect, type ProvableConnection } from './provable-servers.ts';
import { createTlsContexts } from './tls-contexts.ts';

/** How long the server is given to take our goodbye before the connection is cut. */
const GOODBYE_MS = 250;

/** The TLS client of a notary: Node's own TLS over a connection whose handshake is recorded. */
export function createTls12Exchange(
  context: Pick<NotaryContext, 'guard' | 'certificates' | 'clock' | 'extraRoots'>,
): TlsExchange {
  const { guard, certificates, clock, extraRoots } = context;
  const contextFor = createTlsContexts(extraRoots);
  const connect = createConnect(certificates, contextFor);
  return {
    async exchange(request, signal) {
      const { serverName, port } = request;
      const time = Math.floor(clock.now().getTime() / 1000);
      const addresses = await checkTarget(guard, request, signal);
      const server = { serverName, port, addresses };
      try {
        const connection = await connect(server, ['provable', 'provableWithP384'], time, signal);
        return { time, received: await answerOver(connection, request, signal), handshake: connection.handshake };
      } catch (error) {
        const reason = isHandshakeRefusal(error) ? await diagnose(server, addresses, contextFor, signal) : null;
        if (signal.aborted) throw signal.reason;
        throw connectionFailure(serverName, reason === null ? error : handshakeRefused(reason));
      }
    },
  };
}

/** Sends the request and reads the answer. @throws NotaryFailure or DomainError that says why there is none */
async function answerOver(
  { tls, tap }: ProvableConnection,
  { bytes, maxReceived, end }: TlsRequest,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxReceived);
  let received = buffer.subarray(0, 0);
  const isAnswered = async () => {
    if (tls.readableLength > 0) throw new NotaryFailure('the server answered before it was asked');
    addAbortSignal(signal, tls).write(bytes);
    for await (const chunk of tls.iterator({ destroyOnReturn: false })) {
      const length = received.length + chunk.length;
      if (length > maxReceived) throw tooLarge(maxReceived);
      buffer.set(chunk, received.length);
      received = buffer.subarray(0, length);
      if (end.isComplete(received)) return true;
    }
    return end.endsWithConnection && tap.endedOrderly;
  };
  try {
    if (!(await isAnswered()))
      throw new NotaryFailure('the server ended the connection before its answer was complete');
    tls.resume().end();
    setTimeout(() => tap.destroy(), GOODBYE_MS).unref();
    return received;
  } catch (error) {
    tls.destroy();
    tap.destroy();
    throw error instanceof NotaryFailure || isDomainError(error) ? error : answerFailure(error);
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

function tooLarge(limit: number): NotaryFailure {
  return new NotaryFailure(
    limit < MAX_RECV_DATA
      ? `its answer is larger than maxRecvData (${limit} bytes); raise it or ask for less`
      : `its answer is larger than the most that can be proven (maxRecvData: ${limit} bytes); ask for less`,
  );
}
