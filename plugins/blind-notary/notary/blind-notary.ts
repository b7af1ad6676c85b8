/** The sessions of a blind notary: who may open one, how many run, and how each is carried out and ended. */

import { hexToBytes } from '@noble/hashes/utils.js';
import { DomainError } from 'credence/kit';
import { createSecp256k1Signer, createValuesExtensions, createValuesSigner } from 'credence/kit/notaries';
import type { NotaryContext, NotaryKey } from 'credence/ports';
import type { WebSocket } from 'ws';
import { type BlindPhase, PHASE_LIMITS } from '../blind-phase.ts';
import { createMpcVerifier } from '../engine/engine.ts';
import { engineFiles } from '../engine/package-files.ts';
import { type BlindSessionFigures, createBlindFigures } from '../figures.ts';
import type { BlindNotarySettings } from '../options.ts';
import { createNotarizeSession } from '../stock/notarize-session.ts';
import { createBlindRun } from './blind-run.ts';
import { createNotarizeBlind } from './notarize-blind.ts';
import { type OpenedSession, SessionPlaces, type SessionWishes } from './session-places.ts';
import { createStockRun } from './stock-run.ts';

/** What `createBlindNotary` takes besides its settings. */
export interface BlindNotaryDeps extends Omit<NotaryContext, 'verify' | 'guard' | 'extraRoots'> {
  readonly key: NotaryKey;
}

/** Who speaks with the notary; see `BlindSessionFigures`. */
export type Protocol = BlindSessionFigures['protocol'];

/** Where provers open sessions and join them. Sessions of stock provers need `stockVerifier`. */
export interface BlindNotary {
  /** Refuses what no session may have. @throws DomainError `INVALID_REQUEST` */
  check(wishes: SessionWishes): void;
  /** Opens a session. @throws DomainError as `SessionPlaces.open` */
  open(protocol: Protocol, wishes: SessionWishes, caller: string): OpenedSession;
  /**
   * Takes a session out for its prover; null if there is none of this id, or it was joined already or has expired.
   * @param caller who must have opened it; anyone who has the id may join the session of a stock prover
   */
  take(protocol: Protocol, sessionId: string, caller?: string): JoinedSession | null;
  /** Figures in the text format of Prometheus. */
  metrics(): string;
  /** Ends all sessions. No call after it. */
  close(): Promise<void>;
}

/** A session whose prover has come. */
export interface JoinedSession {
  /** Who opened it; null for a stranger. */
  readonly caller: string | null;
  /** Carries the session out over a socket that is open, and closes it. Never rejects. */
  run(socket: WebSocket): Promise<void>;
  /** In the place of `run`, if there is no socket: ends the session, and gives its place to others. */
  abandon(): Promise<void>;
}

/** A prover reads the last message before the connection is closed. */
const CLOSE_NORMALLY = 1000;

/** How long a session waits for its prover to connect. */
const JOIN_MS = 30_000;

export function createBlindNotary(settings: BlindNotarySettings, deps: BlindNotaryDeps): BlindNotary {
  const { key, clock, random, logger } = deps;
  const { concurrency, maxSentData, maxRecvData, memoryMiB } = settings;
  const { verifier = createMpcVerifier({ memoryMiB }) } = settings;
  const { stockVerifier: given = createMpcVerifier({ memoryMiB }, () => engineFiles('tlsn-wasm')) } = settings;
  const stockVerifier = settings.stockProvers === 'off' ? undefined : given;
  const limits = { maxSentData, maxRecvData };
  const places = new SessionPlaces({ concurrency, limits, joinMs: JOIN_MS, clock });
  const figures = createBlindFigures();
  const signing = {
    ...deps,
    phases: PHASE_LIMITS,
    signer: createSecp256k1Signer(key.secretKey),
    fingerprint: hexToBytes(key.fingerprint),
    attestationExtensions: createValuesExtensions(createValuesSigner(key.secretKey), random),
  };
  const protocols = {
    credence: { engine: verifier, carryOut: createBlindRun(createNotarizeBlind(signing)) },
    tlsnotary: { engine: stockVerifier, carryOut: createStockRun(createNotarizeSession(signing)) },
  };
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  return {
    check: (wishes) => places.check(wishes),
    open(protocol, wishes, caller) {
      closing.signal.throwIfAborted();
      const { engine } = protocols[protocol];
      if (engine !== undefined) return places.open(engine, wishes, caller);
      throw new DomainError('NOT_SUPPORTED', 'This notary offers no sessions for provers of TLSNotary.');
    },
    take(protocol, sessionId, caller) {
      const { engine, carryOut } = protocols[protocol];
      const place = engine === undefined ? null : places.take(engine, sessionId, caller);
      if (place === null) return null;
      const run = async (socket: WebSocket) => {
        const phaseClock = createPhaseClock();
        const { outcome, error, carried } = await carryOut(place, socket, closing.signal, phaseClock.begin);
        if (outcome !== 'signed') logger.warn({ err: error, outcome, protocol }, 'a blind session was not signed');
        socket.close(CLOSE_NORMALLY);
        await place.free();
        // Figures only: nothing of what was sent or received.
        const session = { protocol, outcome, phases: phaseClock.end(), ...carried };
        logger.info({ session }, 'a blind session has ended');
        figures.ended(session);
      };
      return {
        caller: place.isStranger ? null : place.caller,
        async run(socket) {
          const done = run(socket);
          running.add(done);
          await done;
          running.delete(done);
        },
        abandon: () => place.free(),
      };
    },
    metrics: () => figures.text(places.taken),
    async close() {
      closing.abort(new DomainError('SERVICE_UNAVAILABLE', 'The notary is shutting down.'));
      await Promise.all([places.close(), ...running]);
      await Promise.all([verifier.close(), stockVerifier?.close()]);
    },
  };
}

function createPhaseClock() {
  const durations: Partial<Record<BlindPhase, number>> = {};
  let current: { readonly phase: BlindPhase; readonly since: number } | undefined;
  const end = () => {
    if (current !== undefined) durations[current.phase] = performance.now() - current.since;
    current = undefined;
    return durations;
  };
  return {
    begin(phase: BlindPhase): void {
      end();
      current = { phase, since: performance.now() };
    },
    end,
  };
}
