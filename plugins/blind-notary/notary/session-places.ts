/** Places for sessions: each takes a processor for a while, so their number is fixed. */

import { randomBytes } from 'node:crypto';
import { DomainError } from 'credence/kit';
import type { Clock } from 'credence/ports';
import type { MpcLimits, MpcVerifier, MpcVerifierSession } from '../mpc-tls.ts';

/** What a session is opened with. */
export interface SessionWishes extends Partial<MpcLimits> {
  /** Its request is not known yet: it may wait after its setup, and gives way to sessions whose request is. @default false */
  readonly ahead?: boolean | undefined;
  /** Its caller has no token. @default false */
  readonly isStranger?: boolean | undefined;
}

/** A session that waits for its prover. */
export interface OpenedSession extends MpcLimits {
  /** Good for one connection of the caller who opened it. */
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** How long it may wait after its setup; only if it was opened ahead. */
  readonly readySeconds?: number;
}

/** A session that takes a place. */
export interface Place {
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly verifier: Promise<MpcVerifierSession>;
  /** Opened ahead. */
  readonly isAhead: boolean;
  /** Of a caller without a token. */
  readonly isStranger: boolean;
  /** Fires when a session opened ahead has given way: its place is another's. */
  readonly signal: AbortSignal;
  /** Keeps the place from now on. */
  keep(): void;
  /** Ends the session, and gives its place to others. Harmless when repeated. */
  free(): Promise<void>;
}

export interface SessionPlacesOptions {
  /** Over all callers. */
  readonly concurrency: number;
  /** Most bytes of a session. */
  readonly limits: MpcLimits;
  /** How long a session waits for its prover; milliseconds. */
  readonly joinMs: number;
  /** How long a session that was opened ahead may wait after its setup; 0 allows none. */
  readonly readyMs: number;
  readonly clock: Clock;
}

export interface SessionPlaces {
  /** Refuses what no session may have. @throws DomainError `INVALID_REQUEST` and `NOT_SUPPORTED` as `open` */
  check(wishes: SessionWishes): void;
  /**
   * Opens a session, which takes a place until it is freed or nobody has joined it in time. If no place is free, the oldest session
   * that was opened ahead and has no request yet gives way, the caller's own first. A session that is opened ahead takes free places only.
   * So do strangers, who all together get half of the places, and give way until their prover has come.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `NOT_SUPPORTED` for a session ahead if none are allowed;
   * `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are taken or the caller has its share of them
   */
  open(engine: MpcVerifier, wishes: SessionWishes, caller: string): OpenedSession;
  /** Takes a session out for its prover; null if no such session waits. The caller matters if it is given. */
  take(engine: MpcVerifier, sessionId: string, caller?: string): Place | null;
  /** Ends the sessions that wait for their prover. */
  close(): Promise<void>;
  /** Places that are taken. */
  readonly taken: number;
  /** Those of them whose session was opened ahead and has no request yet. */
  readonly ahead: number;
}

const ID_BYTES = 16;
/** A session of default size, from end to end. */
const TYPICAL_SECONDS = 30;

class TakenPlace implements Place {
  readonly sessionId = randomBytes(ID_BYTES).toString('hex');
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly isAhead: boolean;
  readonly isStranger: boolean;
  readonly verifier: Promise<MpcVerifierSession>;
  readonly #gaveWay = new AbortController();
  readonly #taken: Set<TakenPlace>;
  /** True until a session that was opened ahead has its request, and a stranger's its prover. */
  givesWay: boolean;

  /** @param taken all places, with this one until it is free */
  constructor(given: Pick<Place, 'caller' | 'limits' | 'isAhead' | 'isStranger' | 'verifier'>, taken: Set<TakenPlace>) {
    const { caller, limits, isAhead, isStranger, verifier } = given;
    this.caller = caller;
    this.limits = limits;
    this.isAhead = isAhead;
    this.isStranger = isStranger;
    this.givesWay = isAhead || isStranger;
    this.verifier = verifier;
    // Told by the call that joins; one that nobody joins fails silently.
    verifier.catch(() => {});
    this.#taken = taken.add(this);
  }

  get signal(): AbortSignal {
    return this.#gaveWay.signal;
  }

  keep(): void {
    this.givesWay = false;
  }

  async free(): Promise<void> {
    // Its memory is free before the next one may take its place.
    await this.verifier.then((session) => session.close()).catch(() => {});
    this.#taken.delete(this);
  }

  /** Leaves the place at once to a session that starts its process when this resolves. */
  giveWay(): Promise<void> {
    this.#taken.delete(this);
    this.#gaveWay.abort(busy('The session was opened ahead, and its place is needed.'));
    return this.free();
  }
}

/** A place that waits for its prover. */
interface WaitingPlace {
  readonly place: TakenPlace;
  /** What its session is verified by: one protocol is not joined by provers of another. */
  readonly engine: MpcVerifier;
  readonly expiry: NodeJS.Timeout;
}

export function createSessionPlaces(options: SessionPlacesOptions): SessionPlaces {
  const { concurrency, limits, joinMs, readyMs, clock } = options;
  const taken = new Set<TakenPlace>();
  const waiting = new Map<string, WaitingPlace>();
  /** Of many places half, and the only place if there is one. */
  const mostOfStrangers = Math.max(1, Math.floor(concurrency / 2));

  /** @returns the session that has to give way, if any */
  function findPlace(caller: string, isAhead: boolean, isStranger: boolean): TakenPlace | undefined {
    // Fewer than are free: one caller gets at most half of many places, and the only place if there is one.
    const hasShare = (places: readonly TakenPlace[], most = concurrency) =>
      places.filter((place) => place.caller === caller).length < most - places.length;
    const all = [...taken];
    const strangers = all.filter((place) => place.isStranger);
    const isFree = isStranger ? taken.size < concurrency && hasShare(strangers, mostOfStrangers) : hasShare(all);
    if (isFree) return undefined;
    if (isStranger || isAhead || !hasShare(all.filter(({ givesWay }) => !givesWay))) {
      throw busy('All sessions of the blind notary are taken.');
    }
    const yielding = all.filter(({ givesWay }) => givesWay);
    const own = yielding.find((place) => place.caller === caller);
    if (own !== undefined || taken.size < concurrency) return own;
    return yielding.find((place) => place.isStranger) ?? yielding[0];
  }
  function forget(place: TakenPlace): void {
    clearTimeout(waiting.get(place.sessionId)?.expiry);
    waiting.delete(place.sessionId);
  }

  function agree({ ahead: isAhead = false, ...wanted }: SessionWishes): MpcLimits {
    const agreed = {
      maxSentData: within('maxSentData', wanted.maxSentData, limits.maxSentData),
      maxRecvData: within('maxRecvData', wanted.maxRecvData, limits.maxRecvData),
    };
    if (isAhead && readyMs === 0) throw new DomainError('NOT_SUPPORTED', 'This notary keeps no sessions ready.');
    return agreed;
  }

  return {
    check: (wishes) => void agree(wishes),
    open(engine, wishes, caller) {
      const { ahead: isAhead = false, isStranger = false } = wishes;
      const agreed = agree(wishes);
      const displaced = findPlace(caller, isAhead, isStranger);
      if (displaced !== undefined) forget(displaced);
      const verifier = displaced?.giveWay().then(() => engine.open(agreed)) ?? engine.open(agreed);
      const place = new TakenPlace({ caller, limits: agreed, isAhead, isStranger, verifier }, taken);
      const expiry = setTimeout(() => {
        forget(place);
        void place.free();
      }, joinMs);
      waiting.set(place.sessionId, { place, engine, expiry });
      return {
        sessionId: place.sessionId,
        ...agreed,
        expiresAt: new Date(clock.now().getTime() + joinMs),
        ...(isAhead && { readySeconds: readyMs / 1_000 }),
      };
    },
    take(engine, sessionId, caller) {
      const found = waiting.get(sessionId);
      if (found === undefined || found.engine !== engine) return null;
      if (caller !== undefined && found.place.caller !== caller) return null;
      forget(found.place);
      if (found.place.isStranger) found.place.keep();
      return found.place;
    },
    async close() {
      const left = [...waiting.values()];
      for (const { place } of left) forget(place);
      await Promise.all(left.map(({ place }) => place.free()));
    },
    get taken() {
      return taken.size;
    },
    get ahead() {
      return [...taken].filter(({ isAhead, givesWay }) => isAhead && givesWay).length;
    },
  };
}

function busy(reason: string): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', `${reason} Try again in ${TYPICAL_SECONDS} s.`, {
    retryAfterSeconds: TYPICAL_SECONDS,
  });
}

function within(name: string, wanted: number | undefined, most: number): number {
  if (wanted === undefined) return most;
  if (wanted <= most) return wanted;
  throw new DomainError('INVALID_REQUEST', `${name}: this blind notary takes at most ${most} bytes.`);
}
