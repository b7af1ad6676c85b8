/** The part of a blind session that does not depend on the request, on the client's side. */

import type { WebProof } from 'credence/ports';
import { type PhaseLimits, withinPhase } from '../blind-phase.ts';
import type { ServerHandshake } from '../channel/handshake.ts';
import type { ByteChannel, MpcLimits, MpcProver, MpcProverSession } from '../mpc-tls.ts';

/** A session with a notary that has been joined. */
export interface BlindNotarySession {
  /** To the notary's engine. */
  readonly channel: ByteChannel;
  /** Says that a phase begins. */
  announce(phase: 'online' | 'reveal'): Promise<void>;
  /** Hands the server's handshake in; resolves to the presentation as a web proof. */
  finish(handshake: ServerHandshake): Promise<WebProof>;
  /** Rejects when the session breaks or the notary refuses it; never resolves. */
  readonly failed: Promise<never>;
  /** Bytes of the engines so far. */
  readonly carried: { readonly sent: number; readonly received: number };
  close(): void;
}

/** Both halves of a session whose setup is done. */
export interface SetUpSession {
  readonly notary: BlindNotarySession;
  readonly engine: MpcProverSession;
  /** Ends the session and its process. Harmless when repeated. */
  close(): Promise<void>;
}

export interface SetUpDeps {
  readonly prover: MpcProver;
  readonly phases: PhaseLimits;
  /** Opens and joins a session. */
  readonly openSession: (limits: MpcLimits, signal: AbortSignal) => Promise<BlindNotarySession>;
}

/**
 * Sets sessions up. A session is online when it is handed out.
 * @returns a function that throws DomainError for a notary that refuses and for a setup that takes too long. It also throws what the
 * engine throws, and the signal's reason when that fires
 */
export function createSetUp(deps: SetUpDeps) {
  const { prover, phases, openSession } = deps;
  return async (serverName: string, limits: MpcLimits, signal: AbortSignal): Promise<SetUpSession> => {
    const notary = await openSession(limits, signal);
    const within = <T>(work: Promise<T>) => withinPhase('setup', phases, Promise.race([work, notary.failed]), signal);
    const opening = prover.open(serverName, limits);
    const close = async () => {
      notary.close();
      await opening.then((engine) => engine.close()).catch(() => {});
    };
    try {
      const engine = await within(opening);
      await within(engine.setup(notary.channel));
      await within(notary.announce('online'));
      return { notary, engine, close };
    } catch (error) {
      // Not waited for: a process that does not start would keep the caller waiting.
      void close();
      throw error;
    }
  };
}
