import { readHandshake, TappedStream } from 'credence/adapters/local-notary';
import { DomainError } from 'credence/kit';
import { connectChecked } from 'credence/kit/notaries';
import type { CheckedAddress } from 'credence/ports';
import type { ServerConnection } from './prove-blind.ts';

/**
 * A TCP connection to a checked address, for an engine that speaks TLS over it. Its handshake is recorded.
 * @throws DomainError `INTERNAL_SERVER_ERROR` if the server cannot be reached
 */
export async function connectToServer(
  { serverName, port, addresses }: { serverName: string; port: number; addresses: readonly CheckedAddress[] },
  signal: AbortSignal,
): Promise<ServerConnection> {
  const socket = await connectChecked(addresses, port, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw cannotProve(serverName, 'the connection failed', cause);
  });
  const stream = new TappedStream(socket);
  // The engine notices a broken connection by its end.
  stream.on('error', () => {});
  return {
    channel: {
      incoming: incoming(stream),
      send: (bytes) => new Promise((resolve) => stream.write(bytes, () => resolve())),
      end: () => new Promise((resolve) => stream.end(() => resolve())),
    },
    handshake() {
      const { client, server } = stream.takeHandshake();
      try {
        return readHandshake(client, server);
      } catch (cause) {
        throw cannotProve(serverName, 'its handshake cannot be read back', cause);
      }
    },
    close: () => stream.destroy(),
  };
}

/** Ends where the connection breaks: only the engine knows whether the answer was complete. */
async function* incoming(stream: TappedStream): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk;
  } catch {
    return;
  }
}

function cannotProve(serverName: string, reason: string, cause: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `${serverName} cannot be proven: ${reason}.`, { cause });
}
