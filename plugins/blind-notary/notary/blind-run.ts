/** Carries out the sessions of Credence's provers. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { isDomainError } from 'credence/kit';
import type { z } from 'zod';
import type { ServerHandshake } from '../channel/handshake.ts';
import { type NotaryMessage, proverMessage } from '../channel/messages.ts';
import { createSessionChannel } from '../channel/session-channel.ts';
import type { createNotarizeBlind } from './notarize-blind.ts';
import { outcomeOf, type SessionRun, taken } from './session-run.ts';

export function createBlindRun(notarize: ReturnType<typeof createNotarizeBlind>): SessionRun {
  return async (place, socket, signal, onPhase) => {
    const ready = Promise.withResolvers<void>();
    const online = Promise.withResolvers<void>();
    const reveal = Promise.withResolvers<void>();
    const handshake = Promise.withResolvers<ServerHandshake>();
    const channel = createSessionChannel<NotaryMessage, z.output<typeof proverMessage>>({
      socket,
      messages: proverMessage,
      onMessage(message) {
        if (message.type === 'handshake') handshake.resolve(message.handshake);
        else if (message.type === 'phase') phases[message.phase]();
      },
    });
    const { carried } = channel;
    const phases = {
      ready: ready.resolve,
      online() {
        // A place that has been given away is not taken back.
        if (place.isAhead && !place.signal.aborted) {
          place.keep();
          channel.say({ type: 'phase', phase: 'online' }).catch(() => {});
        }
        online.resolve();
      },
      reveal: reveal.resolve,
    };
    const either = AbortSignal.any([signal, place.signal]);
    try {
      const session = {
        limits: place.limits,
        verifier: await Promise.race([place.verifier, channel.broken]),
        channel,
        begins: (phase: 'online' | 'reveal') => (phase === 'online' ? online : reveal).promise,
        isReady: place.isAhead ? ready.promise : undefined,
        handshake: handshake.promise,
      };
      const presentation = await Promise.race([notarize(session, either, onPhase), channel.broken]);
      await taken(channel.say({ type: 'presentation', data: bytesToHex(presentation) }), either);
      return { outcome: 'signed', carried };
    } catch (error) {
      // Not waited for: a prover that reads nothing would keep its place. The socket closes behind this message.
      channel.say({ type: 'error', error: describe(error) }).catch(() => {});
      return { outcome: outcomeOf(error), error, carried };
    }
  };
}

/** The texts of engines and sockets are not for the prover; what it can do about them is. */
function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (isDomainError(error)) return { code: error.code, message: error.message };
  return {
    code: 'INTERNAL_SERVER_ERROR',
    message: 'The blind session failed: the prover left, broke the protocol, or needed more than the session allows.',
  };
}
