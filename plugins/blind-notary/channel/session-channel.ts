/** A WebSocket as the two channels of a blind session: bytes of the engines in binary frames, messages in text frames. */

import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { ByteChannel } from '../mpc-tls.ts';
import { type Carrier, createByteSocket, SessionChannelError } from './byte-socket.ts';

/** The channel of a session over a socket that is open. */
export interface SessionChannel<S> extends ByteChannel, Carrier {
  /** Sends a message. */
  say(message: S): Promise<void>;
  /** Closes the connection. Harmless when repeated. */
  close(): void;
}

/** Both sides end their bytes with the same message. */
interface Ending {
  readonly type: string;
  readonly phase?: string;
}

/**
 * Reads from the socket only as fast as the bytes are taken.
 * @param messages what the other side may say
 * @param onMessage is told every message but `end`, each once; what it throws closes the channel
 */
export function createSessionChannel<S extends Ending, M extends Ending>(
  socket: WebSocket,
  messages: z.ZodType<M>,
  onMessage: (message: M) => void,
): SessionChannel<S> {
  const said = new Set<string>();
  const bytes = createByteSocket(socket, (text) => {
    const { data } = messages.safeParse(JSON.parse(text));
    if (data === undefined) throw new SessionChannelError('The other side sent a message that is not of the protocol.');
    // Each message belongs to a session once, so a sender cannot have this side parse without end.
    const { type, phase = '' } = data;
    const name = `${type} ${phase}`;
    if (said.has(name)) throw new SessionChannelError('The other side repeated a message.');
    said.add(name);
    if (type === 'end') bytes.finish();
    else onMessage(data);
  });
  return {
    incoming: bytes.incoming,
    send: bytes.write,
    end: () => bytes.write(JSON.stringify({ type: 'end' })),
    say: (message) => bytes.write(JSON.stringify(message)),
    broken: bytes.broken,
    carried: bytes.carried,
    close: () => socket.close(),
  };
}
