/** Carries out the sessions of Credence's provers. */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { z } from 'zod';
import { isDomainError } from '../../core/errors.ts';
import type { ServerHandshake } from '../../core/web-proof/blind/handshake.ts';
import type { createNotarizeBlind } from '../../core/web-proof/blind/notarize-blind.ts';
import { createSessionChannel, type NotaryMessage, proverMessage } from '../session-channel/index.ts';
import { outcomeOf, type SessionRun } from './session-run.ts';

export function createBlindRun(notarize: ReturnType<typeof createNotarizeBlind>): SessionRun {
  return async (place, socket, signal, onPhase) => {
    const online = Promise.withResolvers<void>();
    const reveal = Promise.withResolvers<void>();
    const handshake = Promise.withResolvers<ServerHandshake>();
    const channel = createSessionChannel<NotaryMessage, z.output<typeof proverMessage>>({
      socket,
      messages: proverMessage,
      onMessage(message) {
        if (message.type === 'handshake') handshake.resolve(message.handshake);
        else if (message.type === 'phase') (message.phase === 'online' ? online : reveal).resolve();
      },
    });
    const { carried } = channel;
    try {
      const session = {
        limits: place.limits,
        verifier: await Promise.race([place.verifier, channel.broken]),
        channel,
        begins: (phase: 'online' | 'reveal') => (phase === 'online' ? online : reveal).promise,
        handshake: handshake.promise,
      };
      const presentation = await Promise.race([notarize(session, signal, onPhase), channel.broken]);
      await channel.say({ type: 'presentation', data: bytesToHex(presentation) });
      return { outcome: 'signed', carried };
    } catch (error) {
      await channel.say({ type: 'error', error: describe(error) }).catch(() => {});
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
