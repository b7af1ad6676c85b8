/** Places for sessions: each takes a processor for a while, so their number is fixed. */
import { randomBytes } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { MpcLimits, MpcVerifier, MpcVerifierSession } from '../../core/ports/mpc-tls.ts';

/** A session that waits for its prover. */
export interface OpenedSession extends MpcLimits {
  /** Good for one connection of the caller who opened it. */
  readonly sessionId: string;
  readonly expiresAt: Date;
}

/** A session that takes a place. */
export interface Place {
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly verifier: Promise<MpcVerifierSession>;
}

interface WaitingPlace extends Place {
  /** What its session is verified by: one protocol is not joined by provers of another. */
  readonly engine: MpcVerifier;
  readonly expiry: NodeJS.Timeout;
}

export interface SessionPlacesOptions {
  /** Over all callers. */
  readonly concurrency: number;
  /** Most bytes of a session. */
  readonly limits: MpcLimits;
  /** How long a session waits for its prover; milliseconds. */
  readonly joinMs: number;
  readonly clock: Clock;
}

export interface SessionPlaces {
  /**
   * Opens a session, which takes a place until it is freed or nobody has joined it in time.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are
   * taken or the caller has its share of them
   */
  open(engine: MpcVerifier, wanted: Partial<MpcLimits>, caller: string): OpenedSession;
  /** Takes a session out for its prover; null if no such session waits. The caller matters if it is given. */
  take(engine: MpcVerifier, sessionId: string, caller?: string): Place | null;
  /** Ends a session that was taken, and gives its place to others. */
  free(place: Place): Promise<void>;
  /** Ends the sessions that wait. */
  close(): Promise<void>;
  /** Places that are taken. */
  readonly taken: number;
}

const ID_BYTES = 16;
/** A session of default size, from end to end. */
const TYPICAL_SECONDS = 30;

export function createSessionPlaces({ concurrency, limits, joinMs, clock }: SessionPlacesOptions): SessionPlaces {
  const waiting = new Map<string, WaitingPlace>();
  /** Places that are taken, waiting or running, by caller. */
  const taken = new Map<string, number>();
  const total = () => [...taken.values()].reduce((sum, count) => sum + count, 0);

  function takePlace(caller: string): void {
    const own = taken.get(caller) ?? 0;
    // Fewer than are free: one caller gets at most half of many places, and the only place if there is one.
    if (own < concurrency - total()) {
      taken.set(caller, own + 1);
      return;
    }
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      `All sessions of the blind notary are taken. Try again in ${TYPICAL_SECONDS} s.`,
      { retryAfterSeconds: TYPICAL_SECONDS },
    );
  }
  async function free({ verifier, caller }: Place): Promise<void> {
    // Its memory is free before the next one may take its place.
    await verifier.then((session) => session.close()).catch(() => {});
    const left = (taken.get(caller) ?? 1) - 1;
    if (left > 0) taken.set(caller, left);
    else taken.delete(caller);
  }

  return {
    open(engine, wanted, caller) {
      const agreed = {
        maxSentData: within('maxSentData', wanted.maxSentData, limits.maxSentData),
        maxRecvData: within('maxRecvData', wanted.maxRecvData, limits.maxRecvData),
      };
      takePlace(caller);
      const sessionId = randomBytes(ID_BYTES).toString('hex');
      const verifier = engine.open(agreed);
      // Told by the call that joins; one that nobody joins fails silently.
      verifier.catch(() => {});
      const expiry = setTimeout(() => {
        waiting.delete(sessionId);
        void free(place);
      }, joinMs);
      const place: WaitingPlace = { caller, limits: agreed, verifier, engine, expiry };
      waiting.set(sessionId, place);
      return { sessionId, ...agreed, expiresAt: new Date(clock.now().getTime() + joinMs) };
    },
    take(engine, sessionId, caller) {
      const place = waiting.get(sessionId);
      if (place === undefined || place.engine !== engine) return null;
      if (caller !== undefined && place.caller !== caller) return null;
      waiting.delete(sessionId);
      clearTimeout(place.expiry);
      return place;
    },
    free,
    async close() {
      const left = [...waiting.values()];
      waiting.clear();
      for (const { expiry } of left) clearTimeout(expiry);
      await Promise.all(left.map(free));
    },
    get taken() {
      return total();
    },
  };
}

function within(name: string, wanted: number | undefined, most: number): number {
  if (wanted === undefined) return most;
  if (wanted <= most) return wanted;
  throw new DomainError('INVALID_REQUEST', `${name}: this blind notary takes at most ${most} bytes.`);
}
