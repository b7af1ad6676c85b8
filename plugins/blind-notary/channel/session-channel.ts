/** A WebSocket as the two channels of a blind session: bytes of the engines in binary frames, messages in text frames. */

import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { ByteChannel } from '../mpc-tls.ts';
import { createByteSocket, SessionChannelError } from './byte-socket.ts';

/** What `createSessionChannel` takes. */
export interface SessionChannelOptions<M> {
  /** Of either side, open. */
  readonly socket: WebSocket;
  /** What the other side may say. */
  readonly messages: z.ZodType<M>;
  /** Is told every message but `end`, each once. What it throws closes the channel. */
  readonly onMessage: (message: M) => void;
}

/** The channel of a session over a socket that is open. */
export interface SessionChannel<S> extends ByteChannel {
  /** Sends a message. */
  say(message: S): Promise<void>;
  /** Rejects when the connection breaks or is closed; never resolves. */
  readonly broken: Promise<never>;
  /** Bytes of the engines so far. */
  readonly carried: { readonly sent: number; readonly received: number };
  /** Closes the connection. Harmless when repeated. */
  close(): void;
}

/** Both sides end their bytes with the same message. */
interface Ending {
  readonly type: string;
  readonly phase?: string;
}

/** Reads from the socket only as fast as the bytes are taken. */
export function createSessionChannel<S extends Ending, M extends Ending>(
  options: SessionChannelOptions<M>,
): SessionChannel<S> {
  const { socket, messages, onMessage } = options;
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
