/** Sessions that are set up before they are needed, since setup takes most of a proof's time and does not depend on its request. */

import type { Logger } from 'credence/ports';
import { inTime } from '../blind-phase.ts';
import type { SetUpSession } from './set-up-session.ts';

export interface ReadySessionsOptions {
  /** Most sessions that are kept, for the servers of as many last proofs; 0 keeps none. */
  readonly size: number;
  /** Sets a session up ahead. */
  readonly setUp: (serverName: string, signal: AbortSignal) => Promise<SetUpSession>;
  /** Longest time that one is kept; milliseconds. The notary may allow less. */
  readonly maxAgeMs: number;
  readonly logger: Logger;
}

export interface ReadySessions {
  /** Does a proof; no session is prepared meanwhile. */
  during<T>(proof: () => Promise<T>): Promise<T>;
  /**
   * A session for this server that has gone online; null if there is none that can. One that is still being set up is waited for.
   * Remembers the server for the sessions to prepare.
   * @throws the signal's reason when that fires
   */
  take(serverName: string, signal: AbortSignal): Promise<SetUpSession | null>;
  /** Ends all sessions, also those that are being set up. */
  close(): Promise<void>;
}

interface Prepared {
  readonly serverName: string;
  readonly session: Promise<SetUpSession>;
  /** Ends its setup, or the wait for a request. */
  readonly ending: AbortController;
  isReady: boolean;
}

/** Before a preparation, so that the notary has freed the place of the proof. */
const PAUSE_MS = 1_000;
/** The notary only has to confirm. */
const CLAIM_MS = 5_000;
/** It ends here before it ends at the notary. */
const SAFE_SHARE = 0.9;

export function createReadySessions(options: ReadySessionsOptions): ReadySessions {
  const { size, setUp, maxAgeMs, logger } = options;
  /** The servers of the last proofs, latest first. */
  const servers: string[] = [];
  const sessions = new Set<Prepared>();
  const endings = new Set<Promise<void>>();
  let proofs = 0;
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;

  function planNext(): void {
    if (isClosed || size === 0) return;
    clearTimeout(pause);
    pause = setTimeout(prepareNext, PAUSE_MS).unref();
  }
  /** One at a time: each keeps a processor busy. */
  function prepareNext(): void {
    const isBusy = proofs > 0 || [...sessions].some(({ isReady }) => !isReady);
    if (isClosed || isBusy) return;
    const { missing, surplus } = compare(servers, sessions);
    if (missing === undefined) return;
    if (sessions.size >= size && surplus !== undefined) end(surplus);
    const ending = new AbortController();
    const prepared = { serverName: missing, session: setUp(missing, ending.signal), ending, isReady: false };
    sessions.add(prepared);
    void keep(prepared);
  }
  /** Until it is taken, breaks or is too old. Then the next proof has another one prepared. */
  async function keep(prepared: Prepared): Promise<void> {
    let reason: unknown;
    try {
      const { notary, engine } = await prepared.session;
      if (!sessions.has(prepared)) return;
      prepared.isReady = true;
      logger.debug({ ready: sessions.size }, 'a blind session is set up ahead');
      planNext();
      const ageMs = Math.min(maxAgeMs, notary.readyMs) * SAFE_SHARE;
      await inTime(Promise.race([notary.failed, engine.failed]), prepared.ending.signal, within(ageMs));
    } catch (error) {
      reason = error;
    }
    // Otherwise it was taken or ended by another.
    if (!sessions.has(prepared)) return;
    end(prepared);
    logger.debug({ err: reason }, 'a blind session that was set up ahead has ended');
  }
  function end(prepared: Prepared): void {
    sessions.delete(prepared);
    prepared.ending.abort();
    const ended = prepared.session
      .then((session) => session.close())
      .catch(() => {})
      .finally(() => endings.delete(ended));
    endings.add(ended);
  }
  function find(serverName: string): Prepared | undefined {
    const fitting = [...sessions].filter((prepared) => prepared.serverName === serverName);
    return fitting.find(({ isReady }) => isReady) ?? fitting[0];
  }

  return {
    async during(proof) {
      proofs++;
      try {
        return await proof();
      } finally {
        proofs--;
        planNext();
      }
    },
    async take(serverName, signal) {
      servers.unshift(serverName);
      servers.length = Math.min(servers.length, size);
      for (let prepared = find(serverName); prepared !== undefined; prepared = find(serverName)) {
        sessions.delete(prepared);
        try {
          const session = await inTime(prepared.session, signal);
          // Its age matters no more.
          prepared.ending.abort();
          await inTime(
            Promise.race([session.notary.announce('online'), session.engine.failed]),
            signal,
            within(CLAIM_MS),
          );
          return session;
        } catch (error) {
          end(prepared);
          signal.throwIfAborted();
          logger.debug({ err: error }, 'a blind session that was set up ahead could not be used');
        }
      }
      return null;
    },
    async close() {
      isClosed = true;
      clearTimeout(pause);
      for (const prepared of [...sessions]) end(prepared);
      await Promise.all(endings);
    },
  };
}

/** The latest server without a session of its own, and the oldest session that none of the servers needs. */
function compare(servers: readonly string[], sessions: Iterable<Prepared>) {
  const unneeded = new Set(sessions);
  const missing: string[] = [];
  for (const serverName of servers) {
    const own = [...unneeded].find((prepared) => prepared.serverName === serverName);
    if (own === undefined) missing.push(serverName);
    else unneeded.delete(own);
  }
  return { missing: missing[0], surplus: [...unneeded][0] };
}

const within = (ms: number) => ({ ms, late: () => new Error('the time is over') });
