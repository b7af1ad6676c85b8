/** The part of a blind session that does not depend on the request, on the client's side. */

import type { WebProof } from 'credence/ports';
import { type PhaseLimits, withinPhase } from '../blind-phase.ts';
import type { ServerHandshake } from '../channel/handshake.ts';
import type { ByteChannel, MpcLimits, MpcProver, MpcProverSession } from '../mpc-tls.ts';

/** A session with a notary that has been joined. */
export interface BlindNotarySession {
  /** To the notary's engine. */
  readonly channel: ByteChannel;
  /** How long it may wait after its setup, in milliseconds; 0 unless it was opened ahead. */
  readonly readyMs: number;
  /**
   * Says that a phase begins. A session that was opened ahead goes online only when the notary confirms it, which this waits for.
   */
  announce(phase: 'ready' | 'online' | 'reveal'): Promise<void>;
  /** Hands the server's handshake in; resolves to the presentation as a web proof. */
  finish(handshake: ServerHandshake): Promise<WebProof>;
  /** Rejects when the session breaks or the notary refuses it; never resolves. */
  readonly failed: Promise<never>;
  /** Bytes of the engines so far. */
  readonly carried: { readonly sent: number; readonly received: number };
  close(): void;
}

/** `now`: its request is known. `ahead`: it waits for one, and gives way to sessions of others meanwhile. */
export type OpenedFor = 'now' | 'ahead';

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
  readonly openSession: (limits: MpcLimits, openedFor: OpenedFor, signal: AbortSignal) => Promise<BlindNotarySession>;
}

/**
 * Sets sessions up. The engine binds a session to its server's name, so one that is set up ahead serves one name only. The session
 * is online when it is handed out, or `ready` if it was opened ahead.
 * @returns a function that throws DomainError for a notary that refuses and for a setup that takes too long. It also throws what the
 * engine throws, and the signal's reason when that fires
 */
export function createSetUp(deps: SetUpDeps) {
  const { prover, phases, openSession } = deps;
  return async (
    serverName: string,
    limits: MpcLimits,
    openedFor: OpenedFor,
    signal: AbortSignal,
  ): Promise<SetUpSession> => {
    const notary = await openSession(limits, openedFor, signal);
    const within = <T>(work: Promise<T>) => withinPhase('setup', phases, Promise.race([work, notary.failed]), signal);
    const opening = prover.open(serverName, limits);
    const close = async () => {
      notary.close();
      await opening.then((engine) => engine.close()).catch(() => {});
    };
    try {
      const engine = await within(opening);
      await within(engine.setup(notary.channel));
      await within(notary.announce(openedFor === 'ahead' ? 'ready' : 'online'));
      return { notary, engine, close };
    } catch (error) {
      // Not waited for: a process that does not start would keep the caller waiting.
      void close();
      throw error;
    }
  };
}
