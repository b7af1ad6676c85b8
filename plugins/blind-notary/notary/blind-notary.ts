/** The sessions of a blind notary: who may open one, how many run, and how each is carried out and ended. */

import { DomainError } from 'credence/kit';
import type { Clock, Logger } from 'credence/ports';
import type { WebSocket } from 'ws';
import { type BlindPhase, PHASE_LIMITS } from '../blind-phase.ts';
import type { BlindSessionFigures, BlindSessionGauges } from '../figures.ts';
import type { MpcLimits, MpcVerifier } from '../mpc-tls.ts';
import type { BlindNotarySettings } from '../options.ts';
import { createNotarizeSession } from '../stock/notarize-session.ts';
import { createBlindRun } from './blind-run.ts';
import { createNotarizeBlind, type NotarizeBlindDeps } from './notarize-blind.ts';
import { createSessionPlaces, type OpenedSession, type Place, type SessionWishes } from './session-places.ts';
import type { SessionRun } from './session-run.ts';
import { createStockRun } from './stock-run.ts';

export type { OpenedSession, SessionWishes } from './session-places.ts';

/** What `createBlindNotary` takes. */
export interface BlindNotaryDeps extends Omit<NotarizeBlindDeps, 'phases'> {
  /** The checked options of the plugin. */
  readonly settings: Pick<BlindNotarySettings, 'concurrency' | 'maxSentData' | 'maxRecvData' | 'readySeconds'>;
  /** The notary's half of the engine. */
  readonly verifier: MpcVerifier;
  /** The verifier of TLSNotary 0.1.0-alpha.12; without it stock provers have no sessions. */
  readonly stockVerifier?: MpcVerifier | undefined;
  readonly clock: Clock;
  /** Is told why a session was not signed. */
  readonly logger: Logger;
  /** Is told of every session that a prover has joined. */
  readonly onSession: (figures: BlindSessionFigures) => void;
}

/** Where provers open sessions and join them. */
export interface BlindNotary {
  /** Most bytes that a session may be opened for. */
  readonly limits: MpcLimits;
  /** Refuses what no session may have. @throws DomainError `INVALID_REQUEST` and `NOT_SUPPORTED` as `open` */
  check(wishes: SessionWishes): void;
  /**
   * Opens a session, which takes a place until it is over or nobody has joined it in time. One that is opened ahead may wait after
   * its setup. Until it has its request it gives way to sessions that find no free place.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `NOT_SUPPORTED` for a session ahead if this notary keeps none;
   * `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are taken or the caller has its share of them
   */
  open(wishes: SessionWishes, caller: string): OpenedSession;
  /** Takes a session out for its prover; null if this caller has none of this id, or it was joined already or has expired. */
  take(sessionId: string, caller: string): JoinedSession | null;
  /**
   * The same for a stock prover of TLSNotary: anyone who has the id may join, since browsers send no token with a WebSocket.
   * @throws DomainError as `open`; `NOT_SUPPORTED` without `stockVerifier`
   */
  openStock(limits: Partial<MpcLimits>, opener: SessionOpener): OpenedSession;
  /** Takes a session of a stock prover out; null if there is none of this id, or it was joined already or has expired. */
  takeStock(sessionId: string): JoinedSession | null;
  /** Sessions at this moment. */
  readonly now: BlindSessionGauges;
  /** Ends all sessions. No call after it. */
  close(): Promise<void>;
}

/** Who opens a session for a stock prover. */
export interface SessionOpener {
  readonly key: string;
  /** Without a token, known by an address alone. Strangers leave half of the places to others. */
  readonly isStranger: boolean;
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

export function createBlindNotary(deps: BlindNotaryDeps): BlindNotary {
  const { settings, verifier, stockVerifier, clock, logger, onSession } = deps;
  const { concurrency, maxSentData, maxRecvData, readySeconds } = settings;
  const limits = { maxSentData, maxRecvData };
  const phases = { ...PHASE_LIMITS, ready: readySeconds * 1_000 };
  const places = createSessionPlaces({ concurrency, limits, joinMs: JOIN_MS, readyMs: phases.ready, clock });
  const runBlind = createBlindRun(createNotarizeBlind({ ...deps, phases }));
  const runStock = createStockRun(createNotarizeSession({ ...deps, phases }));
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  function joined(
    place: Place | null,
    protocol: BlindSessionFigures['protocol'],
    carryOut: SessionRun,
  ): JoinedSession | null {
    if (place === null) return null;
    const run = async (socket: WebSocket) => {
      const phaseClock = createPhaseClock();
      const { outcome, error, carried } = await carryOut(place, socket, closing.signal, phaseClock.begin);
      if (outcome !== 'signed') logger.warn({ err: error, outcome, protocol }, 'a blind session was not signed');
      socket.close(CLOSE_NORMALLY);
      await place.free();
      onSession({ protocol, outcome, phases: phaseClock.end(), ...carried });
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
  }
  function stock(): MpcVerifier {
    if (stockVerifier !== undefined) return stockVerifier;
    throw new DomainError('NOT_SUPPORTED', 'This notary offers no sessions for provers of TLSNotary.');
  }

  return {
    limits,
    check: (wishes) => places.check(wishes),
    open(wanted, caller) {
      closing.signal.throwIfAborted();
      return places.open(verifier, wanted, caller);
    },
    take: (sessionId, caller) => joined(places.take(verifier, sessionId, caller), 'credence', runBlind),
    openStock(wanted, { key, isStranger }) {
      closing.signal.throwIfAborted();
      return places.open(stock(), { ...wanted, isStranger }, key);
    },
    takeStock: (sessionId) =>
      stockVerifier === undefined ? null : joined(places.take(stockVerifier, sessionId), 'tlsnotary', runStock),
    get now() {
      return { taken: places.taken, ahead: places.ahead };
    },
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
