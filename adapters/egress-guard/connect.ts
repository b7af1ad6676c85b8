import { once } from 'node:events';
import net from 'node:net';
import type { CheckedAddress } from '../../core/ports/egress.ts';

/** A `lookup` for `net.connect` and `tls.connect` that answers with the checked addresses and asks nobody. */
export function pinnedLookup(addresses: readonly CheckedAddress[]): net.LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) return callback(null, [...addresses]);
    const [first] = addresses;
    if (first === undefined) return callback(new Error('no checked address'), '', 0);
    return callback(null, first.address, first.family);
  };
}

/** Never resolved: it only makes Node ask the pinned lookup. `.invalid` is reserved, so nobody can own it. */
const PLACEHOLDER = 'checked.invalid';

/**
 * Opens a TCP connection to one of the checked addresses (Node tries them one after the other).
 * @throws the socket's error, or the signal's reason when that fires first.
 */
export async function connectChecked(
  addresses: readonly CheckedAddress[],
  port: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  signal.throwIfAborted();
  const socket = net.connect({ host: PLACEHOLDER, port, lookup: pinnedLookup(addresses), noDelay: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}
