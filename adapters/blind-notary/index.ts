/** The sessions of a blind notary: who may open one, how many run, and how each is carried out and ended. */

import type { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MpcLimits, MpcVerifier } from '../../core/ports/mpc-tls.ts';
import type { BlindSessionFigures, BlindSessionGauges } from '../../core/ports/telemetry.ts';
import type { BlindPhase } from '../../core/web-proof/blind/blind-phase.ts';
import { createNotarizeBlind, type NotarizeBlindDeps } from '../../core/web-proof/blind/notarize-blind.ts';
import { createNotarizeSession } from '../../core/web-proof/mpc-notarize/notarize-session.ts';
import type { SessionSocket } from '../session-channel/index.ts';
import { createBlindRun } from './blind-run.ts';
import { blindNotaryOptions } from './options.ts';
import { createSessionPlaces, type OpenedSession, type Place, type SessionWishes } from './session-places.ts';
import type { SessionRun } from './session-run.ts';
import { createStockRun } from './stock-run.ts';

export { blindNotaryOptions } from './options.ts';
export type { OpenedSession, SessionWishes } from './session-places.ts';

/** Who speaks with the notary: provers of Credence, which show it what a proof shows, or stock provers, which show it nothing. */
export type Protocol = BlindSessionFigures['protocol'];

/** How a session went. */
export type SessionReport = BlindSessionFigures;

/** What `createBlindNotary` takes. */
export interface BlindNotaryOptions extends z.input<typeof blindNotaryOptions>, Omit<NotarizeBlindDeps, 'phases'> {
  /** The notary's half of the engine. */
  readonly verifier: MpcVerifier;
  /** The verifier of TLSNotary 0.1.0-alpha.12; without it stock provers have no sessions. */
  readonly stockVerifier?: MpcVerifier | undefined;
  readonly clock: Clock;
  /** Is told why a session was not signed. */
  readonly logger: Logger;
  /** Is told of every session that a prover has joined. */
  readonly onSession?: (report: SessionReport) => void;
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
  run(socket: SessionSocket): Promise<void>;
  /** In the place of `run`, if there is no socket: ends the session, and gives its place to others. */
  abandon(): Promise<void>;
}

/** A prover reads the last message before the connection is closed. */
const CLOSE_NORMALLY = 1000;

/** @throws ZodError for options out of range */
export function createBlindNotary(options: BlindNotaryOptions): BlindNotary {
  const { concurrency, maxSentData, maxRecvData, joinMs, phases } = blindNotaryOptions.parse(options);
  const { verifier, stockVerifier, clock, logger, onSession = () => {} } = options;
  const limits = { maxSentData, maxRecvData };
  const places = createSessionPlaces({ concurrency, limits, joinMs, readyMs: phases.ready, clock });
  const runBlind = createBlindRun(createNotarizeBlind({ ...options, phases }));
  const runStock = createStockRun(createNotarizeSession({ ...options, phases }));
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  function joined(place: Place | null, protocol: Protocol, carryOut: SessionRun): JoinedSession | null {
    if (place === null) return null;
    const run = async (socket: SessionSocket) => {
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
      const ready = (verifier.ready ?? 0) + (stockVerifier?.ready ?? 0);
      return { taken: places.taken, ahead: places.ahead, ready };
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
