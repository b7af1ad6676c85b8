/** A session of a stock prover (tlsn-js, tlsn-wasm) of TLSNotary 0.1.0-alpha.12, over the WebSocket that it opens. */

import type { WebSocket } from 'ws';
import { type Carrier, createByteSocket, SessionChannelError } from '../channel/byte-socket.ts';
import type { ByteChannel } from '../mpc-tls.ts';
import { beginsHandshake, endsConnection, isSecret, type SessionMessage } from './session-messages.ts';
import { SessionTap } from './session-tap.ts';

export { SessionTapError } from './session-tap.ts';

/** What a notary reads of a session with a stock prover, and says in it. */
export interface StockProverChannel extends ByteChannel, Carrier {
  /** Of the protocol's main stream so far. */
  readonly messages: readonly SessionMessage[];
  /** Resolves when the prover's messages show that a phase begins. */
  begins(phase: 'online' | 'reveal'): Promise<void>;
  /** Resolves when the prover has asked for its attestation. */
  readonly requested: Promise<void>;
  /** Gives the prover its attestation, once the verifier has said goodbye. @throws SessionTapError if the prover takes no message of this length */
  answer(attestation: Uint8Array): Promise<void>;
}

/** Reads from the socket, which is open, only as fast as the bytes are taken. */
export function createStockProverChannel(socket: WebSocket): StockProverChannel {
  const online = Promise.withResolvers<void>();
  const reveal = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  let isSecretSent = false;
  const tap = new SessionTap((message, place) => {
    if (beginsHandshake(message, place)) online.resolve();
    if (endsConnection(message)) reveal.resolve();
    if (message.from === 'prover' && isSecretSent) requested.resolve();
    isSecretSent ||= isSecret(message);
  });
  const bytes = createByteSocket(socket, () => {
    throw new SessionChannelError('The prover sent text.');
  });
  async function* incoming() {
    for await (const chunk of bytes.incoming) {
      try {
        tap.fromProver(chunk);
      } catch (error) {
        bytes.fail(error as Error);
        throw error;
      }
      yield chunk;
    }
  }
  return {
    incoming: incoming(),
    async send(chunk) {
      const passed = tap.fromVerifier(chunk);
      if (passed.length > 0) await bytes.write(passed);
    },
    // The prover still waits for its attestation.
    end: async () => {},
    messages: tap.messages,
    begins: (phase) => (phase === 'online' ? online : reveal).promise,
    requested: requested.promise,
    answer: (attestation) => bytes.write(tap.compose(attestation)),
    broken: bytes.broken,
    carried: bytes.carried,
  };
}
