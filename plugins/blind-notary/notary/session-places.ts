/** Places for sessions: each takes a processor for a while, so their number is fixed. */
import { randomBytes } from 'node:crypto';
import { DomainError } from 'credence/kit';
import type { Clock } from 'credence/ports';
import type { MpcLimits, MpcVerifier, MpcVerifierSession } from '../mpc-tls.ts';

/** What a session is opened with. */
export interface SessionWishes extends Partial<MpcLimits> {
  /** Its caller has no token. @default false */
  readonly isStranger?: boolean | undefined;
}

/** A session that waits for its prover. */
export interface OpenedSession extends MpcLimits {
  /** Good for one connection of the caller who opened it. */
  readonly sessionId: string;
  readonly expiresAt: Date;
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

const ID_BYTES = 16;
/** A session of default size, from end to end. */
const TYPICAL_SECONDS = 30;

/** A session that takes a place. */
export class Place {
  readonly sessionId = randomBytes(ID_BYTES).toString('hex');
  readonly caller: string;
  readonly limits: MpcLimits;
  /** Of a caller without a token. */
  readonly isStranger: boolean;
  readonly verifier: Promise<MpcVerifierSession>;
  readonly #taken: Set<Place>;

  /** @param taken all places, with this one until it is free */
  constructor(
    { caller, limits, isStranger, verifier }: Pick<Place, 'caller' | 'limits' | 'isStranger' | 'verifier'>,
    taken: Set<Place>,
  ) {
    this.caller = caller;
    this.limits = limits;
    this.isStranger = isStranger;
    this.verifier = verifier;
    // Told by the call that joins; one that nobody joins fails silently.
    verifier.catch(() => {});
    this.#taken = taken.add(this);
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
    return this.free();
  }
}

/** A place that waits for its prover. */
interface WaitingPlace {
  readonly place: Place;
  /** What its session is verified by: one protocol is not joined by provers of another. */
  readonly engine: MpcVerifier;
  readonly expiry: NodeJS.Timeout;
}

export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  readonly #taken = new Set<Place>();
  /** By the id of the session. */
  readonly #waiting = new Map<string, WaitingPlace>();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken.size;
  }

  /** Refuses what no session may have. @throws DomainError `INVALID_REQUEST` */
  check(wanted: SessionWishes): MpcLimits {
    const { limits } = this.#options;
    return {
      maxSentData: within('maxSentData', wanted.maxSentData, limits.maxSentData),
      maxRecvData: within('maxRecvData', wanted.maxRecvData, limits.maxRecvData),
    };
  }

  /**
   * Opens a session, which takes a place until it is freed or nobody has joined it in time. Strangers take free places only, at most
   * half of all. Until its prover has come, a stranger's session gives way to one that finds no free place, the oldest first.
   * @throws DomainError `INVALID_REQUEST` beyond the limits; `SERVICE_UNAVAILABLE`, with a time to retry after, when all places are
   * taken or the caller has its share of them
   */
  open(engine: MpcVerifier, wishes: SessionWishes, caller: string): OpenedSession {
    const { joinMs, clock } = this.#options;
    const { isStranger = false } = wishes;
    const limits = this.check(wishes);
    const displaced = this.#findPlace(caller, isStranger);
    if (displaced !== undefined) this.#forget(displaced);
    const verifier = displaced?.giveWay().then(() => engine.open(limits)) ?? engine.open(limits);
    const place = new Place({ caller, limits, isStranger, verifier }, this.#taken);
    const expiry = setTimeout(() => {
      this.#forget(place);
      void place.free();
    }, joinMs);
    this.#waiting.set(place.sessionId, { place, engine, expiry });
    return {
      sessionId: place.sessionId,
      ...limits,
      expiresAt: new Date(clock.now().getTime() + joinMs),
    };
  }

  /** Takes a session out for its prover; null if no such session waits. The caller matters if it is given. */
  take(engine: MpcVerifier, sessionId: string, caller?: string): Place | null {
    const { place, engine: own } = this.#waiting.get(sessionId) ?? {};
    if (place === undefined || own !== engine) return null;
    if (caller !== undefined && place.caller !== caller) return null;
    this.#forget(place);
    return place;
  }

  /** Ends the sessions that wait for their prover. */
  async close(): Promise<void> {
    const left = Array.from(this.#waiting.values(), ({ place }) => place);
    for (const place of left) this.#forget(place);
    await Promise.all(left.map((place) => place.free()));
  }

  /** @returns the session that has to give way, if any */
  #findPlace(caller: string, isStranger: boolean): Place | undefined {
    const { concurrency } = this.#options;
    // Fewer than are free: one caller gets at most half of many places, and the only place if there is one.
    const hasShare = (places: readonly Place[], most = concurrency) =>
      places.filter((place) => place.caller === caller).length < most - places.length;
    const all = [...this.#taken];
    const strangers = all.filter((place) => place.isStranger);
    /** Of many places half, and the only place if there is one. */
    const mostOfStrangers = Math.max(1, Math.floor(concurrency / 2));
    const isFree = isStranger ? all.length < concurrency && hasShare(strangers, mostOfStrangers) : hasShare(all);
    if (isFree) return undefined;
    const yielding = strangers.filter(({ sessionId }) => this.#waiting.has(sessionId));
    if (isStranger || !hasShare(all.filter((place) => !yielding.includes(place)))) throw busy();
    return all.length < concurrency ? undefined : yielding[0];
  }

  #forget({ sessionId }: Place): void {
    clearTimeout(this.#waiting.get(sessionId)?.expiry);
    this.#waiting.delete(sessionId);
  }
}

function busy(): DomainError {
  const message = `All sessions of the blind notary are taken. Try again in ${TYPICAL_SECONDS} s.`;
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: TYPICAL_SECONDS });
}

function within(name: string, wanted: number | undefined, most: number): number {
  if (wanted === undefined) return most;
  if (wanted <= most) return wanted;
  throw new DomainError('INVALID_REQUEST', `${name}: this blind notary takes at most ${most} bytes.`);
}
