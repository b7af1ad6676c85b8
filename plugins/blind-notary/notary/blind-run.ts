/** Carries out the sessions of Credence's provers. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { isDomainError } from 'credence/kit';
import type { z } from 'zod';
import type { ServerHandshake } from '../channel/handshake.ts';
import { type NotaryMessage, proverMessage } from '../channel/messages.ts';
import { createSessionChannel } from '../channel/session-channel.ts';
import type { createNotarizeBlind } from './notarize-blind.ts';
import { outcomeOf, type SessionRun, taken } from './session-run.ts';

type Said = z.output<typeof proverMessage>;

export function createBlindRun(notarize: ReturnType<typeof createNotarizeBlind>): SessionRun {
  return async (place, socket, signal, onPhase) => {
    const phases = { online: Promise.withResolvers<void>(), reveal: Promise.withResolvers<void>() };
    const handshake = Promise.withResolvers<ServerHandshake>();
    const channel = createSessionChannel<NotaryMessage, Said>(socket, proverMessage, (message) => {
      if (message.type === 'handshake') handshake.resolve(message.handshake);
      else if (message.type === 'phase') phases[message.phase].resolve();
    });
    const { carried } = channel;
    try {
      const session = {
        limits: place.limits,
        verifier: await Promise.race([place.verifier, channel.broken]),
        channel,
        begins: (phase: 'online' | 'reveal') => phases[phase].promise,
        handshake: handshake.promise,
      };
      const presentation = await Promise.race([notarize(session, signal, onPhase), channel.broken]);
      await taken(channel.say({ type: 'presentation', data: bytesToHex(presentation) }), signal);
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
