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

const ID_BYTES = 16;
/** A session of default size, from end to end. */
const TYPICAL_SECONDS = 30;

/** A session that takes a place. */
export type Place = Pick<TakenPlace, keyof PlaceOptions | 'signal' | 'keep' | 'free'>;

interface PlaceOptions {
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly verifier: Promise<MpcVerifierSession>;
  /** Opened ahead. */
  readonly isAhead: boolean;
  /** Of a caller without a token. */
  readonly isStranger: boolean;
}

class TakenPlace implements PlaceOptions {
  readonly sessionId = randomBytes(ID_BYTES).toString('hex');
  readonly caller: string;
  readonly limits: MpcLimits;
  readonly isAhead: boolean;
  readonly isStranger: boolean;
  readonly verifier: Promise<MpcVerifierSession>;
  readonly #gaveWay = new AbortController();
  readonly #taken: Set<TakenPlace>;
  #isKept = false;

  /** @param taken all places, with this one until it is free */
  constructor({ caller, limits, isAhead, isStranger, verifier }: PlaceOptions, taken: Set<TakenPlace>) {
    this.caller = caller;
    this.limits = limits;
    this.isAhead = isAhead;
    this.isStranger = isStranger;
    this.verifier = verifier;
    // Told by the call that joins; one that nobody joins fails silently.
    verifier.catch(() => {});
    this.#taken = taken.add(this);
  }

  /** True until a session that was opened ahead has its request, and a stranger's its prover. */
  get givesWay(): boolean {
    return (this.isAhead || this.isStranger) && !this.#isKept;
  }

  /** Fires when the place has become another's. */
  get signal(): AbortSignal {
    return this.#gaveWay.signal;
  }

  /** Keeps the place from now on. */
  keep(): void {
    this.#isKept = true;
  }

  /** Ends the session, and gives its place to others. Harmless when repeated. */
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

export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  readonly #taken = new Set<TakenPlace>();
  /** By the id of the session. */
  readonly #waiting = new Map<string, WaitingPlace>();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken.size;
  }

  /** Those of them whose session was opened ahead and has no request yet. */
  get ahead(): number {
    return [...this.#taken].filter(({ isAhead, givesWay }) => isAhead && givesWay).length;
  }

  /** Refuses what no session may have. @throws DomainError `INVALID_REQUEST` and `NOT_SUPPORTED` as `open` */
  check({ ahead: isAhead = false, ...wanted }: SessionWishes): MpcLimits {
    const { limits, readyMs } = this.#options;
    const agreed = {
      maxSentData: within('maxSentData', wanted.maxSentData, limits.maxSentData),
      maxRecvData: within('maxRecvData', wanted.maxRecvData, limits.maxRecvData),
    };
    if (isAhead && readyMs === 0) throw new DomainError('NOT_SUPPORTED', 'This notary keeps no sessions ready.');
    return agreed;
  }

  /**
   * Opens a session, which takes a place until it is freed or nobody has joined it in time. If no place is free, the oldest session
   * that was opened ahead and has no request yet gives way, the caller's own first. A session that is opened ahead takes free places only.
   * So do strangers, who all together get half of the places, and give way until their prover has come.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `NOT_SUPPORTED` for a session ahead if none are allowed;
   * `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are taken or the caller has its share of them
   */
  open(engine: MpcVerifier, wishes: SessionWishes, caller: string): OpenedSession {
    const { joinMs, readyMs, clock } = this.#options;
    const { ahead: isAhead = false, isStranger = false } = wishes;
    const limits = this.check(wishes);
    const displaced = this.#findPlace(caller, isAhead, isStranger);
    if (displaced !== undefined) this.#forget(displaced);
    const verifier = displaced?.giveWay().then(() => engine.open(limits)) ?? engine.open(limits);
    const place = new TakenPlace({ caller, limits, isAhead, isStranger, verifier }, this.#taken);
    const expiry = setTimeout(() => {
      this.#forget(place);
      void place.free();
    }, joinMs);
    this.#waiting.set(place.sessionId, { place, engine, expiry });
    return {
      sessionId: place.sessionId,
      ...limits,
      expiresAt: new Date(clock.now().getTime() + joinMs),
      ...(isAhead && { readySeconds: readyMs / 1_000 }),
    };
  }

  /** Takes a session out for its prover; null if no such session waits. The caller matters if it is given. */
  take(engine: MpcVerifier, sessionId: string, caller?: string): Place | null {
    const { place, engine: own } = this.#waiting.get(sessionId) ?? {};
    if (place === undefined || own !== engine) return null;
    if (caller !== undefined && place.caller !== caller) return null;
    this.#forget(place);
    if (place.isStranger) place.keep();
    return place;
  }

  /** Ends the sessions that wait for their prover. */
  async close(): Promise<void> {
    const left = Array.from(this.#waiting.values(), ({ place }) => place);
    for (const place of left) this.#forget(place);
    await Promise.all(left.map((place) => place.free()));
  }

  /** @returns the session that has to give way, if any */
  #findPlace(caller: string, isAhead: boolean, isStranger: boolean): TakenPlace | undefined {
    const { concurrency } = this.#options;
    // Fewer than are free: one caller gets at most half of many places, and the only place if there is one.
    const hasShare = (places: readonly TakenPlace[], most = concurrency) =>
      places.filter((place) => place.caller === caller).length < most - places.length;
    const all = [...this.#taken];
    const strangers = all.filter((place) => place.isStranger);
    /** Of many places half, and the only place if there is one. */
    const mostOfStrangers = Math.max(1, Math.floor(concurrency / 2));
    const isFree = isStranger ? all.length < concurrency && hasShare(strangers, mostOfStrangers) : hasShare(all);
    if (isFree) return undefined;
    if (isStranger || isAhead || !hasShare(all.filter(({ givesWay }) => !givesWay))) {
      throw busy('All sessions of the blind notary are taken.');
    }
    const yielding = all.filter(({ givesWay }) => givesWay);
    const own = yielding.find((place) => place.caller === caller);
    if (own !== undefined || all.length < concurrency) return own;
    return yielding.find((place) => place.isStranger) ?? yielding[0];
  }

  #forget({ sessionId }: TakenPlace): void {
    clearTimeout(this.#waiting.get(sessionId)?.expiry);
    this.#waiting.delete(sessionId);
  }
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
