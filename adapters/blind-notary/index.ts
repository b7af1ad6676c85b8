/** The sessions of a blind notary: who may open one, how many run, and how each is carried out and ended. */
import { randomBytes } from 'node:crypto';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MpcLimits, MpcVerifier, MpcVerifierSession } from '../../core/ports/mpc-tls.ts';
import type { BlindPhase } from '../../core/web-proof/blind/blind-phase.ts';
import type { ServerHandshake } from '../../core/web-proof/blind/handshake.ts';
import { createNotarizeBlind, type NotarizeBlindDeps } from '../../core/web-proof/blind/notarize-blind.ts';
import { createSessionChannel, type NotaryMessage, proverMessage } from '../session-channel/index.ts';
import { blindNotaryOptions } from './options.ts';

export { blindNotaryOptions } from './options.ts';

/** How a session went, for metrics and logs. Nothing of what was sent or received. */
export interface SessionReport {
  readonly outcome: 'signed' | 'refused' | 'failed';
  /** Milliseconds of each phase that was begun. */
  readonly phases: Readonly<Partial<Record<BlindPhase, number>>>;
  /** Bytes of the engines, from and to the prover. */
  readonly received: number;
  readonly sent: number;
}

/** What `createBlindNotary` takes. */
export interface BlindNotaryOptions extends z.input<typeof blindNotaryOptions>, Omit<NotarizeBlindDeps, 'phases'> {
  /** The notary's half of the engine. */
  readonly verifier: MpcVerifier;
  readonly clock: Clock;
  /** Is told why a session was not signed. */
  readonly logger: Logger;
  /** Is told of every session that a prover has joined. */
  readonly onSession?: (report: SessionReport) => void;
}

/** A session that waits for its prover. */
export interface OpenedSession extends MpcLimits {
  /** Good for one connection of the caller who opened it. */
  readonly sessionId: string;
  readonly expiresAt: Date;
}

/** Where provers open sessions and join them. */
export interface BlindNotary {
  /** Most bytes that a session may be opened for. */
  readonly limits: MpcLimits;
  /**
   * Opens a session, which takes a place until it is over or nobody has joined it in time.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are
   * taken or the caller has its share of them
   */
  open(limits: Partial<MpcLimits>, caller: string): OpenedSession;
  /** Takes a session out for its prover; null if this caller has none of this id, or it was joined already or has expired. */
  take(sessionId: string, caller: string): JoinedSession | null;
  /** Ends all sessions. No call after it. */
  close(): Promise<void>;
}

/** A session whose prover has come. */
export interface JoinedSession {
  /** Carries the session out over a socket that is open, and closes it. Never rejects. */
  run(socket: WebSocket): Promise<void>;
}

interface Place {
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly verifier: Promise<MpcVerifierSession>;
  readonly expiry: NodeJS.Timeout;
}

const ID_BYTES = 16;
/** A session of default size, from end to end. */
const TYPICAL_SECONDS = 30;
/** A prover reads the last message before the connection is closed. */
const CLOSE_NORMALLY = 1000;

/** @throws ZodError for options out of range */
export function createBlindNotary(options: BlindNotaryOptions): BlindNotary {
  const { concurrency, maxSentData, maxRecvData, joinMs, phases } = blindNotaryOptions.parse(options);
  const { verifier, clock, logger, onSession = () => {} } = options;
  const notarize = createNotarizeBlind({ ...options, phases });
  const waiting = new Map<string, Place>();
  /** Places that are taken, waiting or running, by caller. */
  const taken = new Map<string, number>();
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  function takePlace(caller: string): void {
    const total = [...taken.values()].reduce((sum, count) => sum + count, 0);
    const own = taken.get(caller) ?? 0;
    // Fewer than are free: one caller gets at most half of many places, and the only place if there is one.
    if (own < concurrency - total) {
      taken.set(caller, own + 1);
      return;
    }
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      `All sessions of the blind notary are taken. Try again in ${TYPICAL_SECONDS} s.`,
      {
        retryAfterSeconds: TYPICAL_SECONDS,
      },
    );
  }
  async function giveBack(place: Place): Promise<void> {
    clearTimeout(place.expiry);
    // Its memory is free before the next one may take its place.
    await place.verifier.then((session) => session.close()).catch(() => {});
    const left = (taken.get(place.caller) ?? 1) - 1;
    if (left > 0) taken.set(place.caller, left);
    else taken.delete(place.caller);
  }

  async function run(place: Place, socket: WebSocket): Promise<void> {
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
    const clockOfPhases = createPhaseClock();
    let outcome: SessionReport['outcome'] = 'failed';
    try {
      const session = {
        limits: place.limits,
        verifier: await Promise.race([place.verifier, channel.broken]),
        channel,
        begins: (phase: 'online' | 'reveal') => (phase === 'online' ? online : reveal).promise,
        handshake: handshake.promise,
      };
      const signed = notarize(session, closing.signal, clockOfPhases.begin);
      const presentation = await Promise.race([signed, channel.broken]);
      await channel.say({ type: 'presentation', data: bytesToHex(presentation) });
      outcome = 'signed';
    } catch (error) {
      if (isDomainError(error)) outcome = 'refused';
      logger.warn({ err: error, outcome }, 'a blind session was not signed');
      await channel.say({ type: 'error', error: describe(error) }).catch(() => {});
    } finally {
      socket.close(CLOSE_NORMALLY);
      await giveBack(place);
      onSession({ outcome, phases: clockOfPhases.end(), ...channel.carried });
    }
  }

  return {
    limits: { maxSentData, maxRecvData },
    open(wanted, caller) {
      closing.signal.throwIfAborted();
      const limits = {
        maxSentData: within('maxSentData', wanted.maxSentData, maxSentData),
        maxRecvData: within('maxRecvData', wanted.maxRecvData, maxRecvData),
      };
      takePlace(caller);
      const sessionId = randomBytes(ID_BYTES).toString('hex');
      const opening = verifier.open(limits);
      // Told by the call that joins; one that nobody joins fails silently.
      opening.catch(() => {});
      const expiry = setTimeout(() => {
        waiting.delete(sessionId);
        void giveBack(place);
      }, joinMs);
      const place: Place = { caller, limits, verifier: opening, expiry };
      waiting.set(sessionId, place);
      return { sessionId, ...limits, expiresAt: new Date(clock.now().getTime() + joinMs) };
    },
    take(sessionId, caller) {
      const place = waiting.get(sessionId);
      if (place === undefined || place.caller !== caller) return null;
      waiting.delete(sessionId);
      clearTimeout(place.expiry);
      return {
        async run(socket) {
          const done = run(place, socket);
          running.add(done);
          await done;
          running.delete(done);
        },
      };
    },
    async close() {
      closing.abort(new DomainError('SERVICE_UNAVAILABLE', 'The notary is shutting down.'));
      const left = [...waiting.values()];
      waiting.clear();
      await Promise.all([...left.map(giveBack), ...running]);
      await verifier.close();
    },
  };
}

function within(name: string, wanted: number | undefined, most: number): number {
  if (wanted === undefined) return most;
  if (wanted <= most) return wanted;
  throw new DomainError('INVALID_REQUEST', `${name}: this blind notary takes at most ${most} bytes.`);
}

/** The texts of engines and sockets are not for the prover; what it can do about them is. */
function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (isDomainError(error)) return { code: error.code, message: error.message };
  return {
    code: 'INTERNAL_SERVER_ERROR',
    message: 'The blind session failed: the prover left, broke the protocol, or needed more than the session allows.',
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
