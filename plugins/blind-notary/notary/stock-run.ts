/** Carries out the sessions of stock provers of TLSNotary. Their protocol has no words for a refusal: the connection is closed. */

import { inTime } from '../blind-phase.ts';
import type { createNotarizeSession } from '../stock/notarize-session.ts';
import { createStockProverChannel } from '../stock/stock-prover-channel.ts';
import { outcomeOf, type SessionRun, taken } from './session-run.ts';

/** A prover that has its attestation closes the connection itself, when it has checked it. */
const FAREWELL_MS = 10_000;

export function createStockRun(notarize: ReturnType<typeof createNotarizeSession>): SessionRun {
  return async (place, socket, signal, onPhase) => {
    const channel = createStockProverChannel(socket);
    const { carried, broken } = channel;
    try {
      const session = {
        limits: place.limits,
        verifier: await Promise.race([place.verifier, broken]),
        channel,
        begins: channel.begins,
        messages: channel.messages,
        requested: channel.requested,
      };
      const attestation = await Promise.race([notarize(session, signal, onPhase), broken]);
      await taken(channel.answer(attestation), signal);
      await inTime(broken, signal, { ms: FAREWELL_MS, late: () => new Error('the prover stays') }).catch(() => {});
      return { outcome: 'signed', carried };
    } catch (error) {
      return { outcome: outcomeOf(error), error, carried };
    }
  };
}
