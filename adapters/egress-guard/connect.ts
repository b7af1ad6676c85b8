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
export function connectChecked(
  addresses: readonly CheckedAddress[],
  port: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = net.connect({ host: PLACEHOLDER, port, lookup: pinnedLookup(addresses), noDelay: true });
    const abort = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    const settle = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => {
      settle();
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('close', settle);
  });
}
