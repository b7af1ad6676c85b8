/**
 * How many bytes of large bodies an instance holds at one time: of requests, of what they unpack to, and of answers. Every
 * route bounds its own; without a bound over all of them, some dozens of requests at once could still fill the memory.
 */
import { DomainError } from '../../core/errors.ts';

export interface BodyBudgetOptions {
  /** Of every body, these are free: requests of ordinary size are never refused. */
  readonly freeBytes: number;
  /** Of one caller, so that nobody uses up what all share. */
  readonly callerBytes: number;
  readonly totalBytes: number;
  /**
   * Makes room for what comes by ending what began first, instead of refusing it: for senders of whom nothing is known. Those
   * who send slowly, or stop midway, then hold up nobody; only a flood that is faster than a true sender does.
   */
  readonly endsOldest?: boolean;
}

/** What one request has taken. */
export interface BodyShare {
  /** Bytes that count at present. */
  readonly held: number;
  /** Fires when the body has to make room for later ones: stop reading it. Only in budgets with `endsOldest`. */
  readonly ended?: AbortSignal;
  /**
   * Counts `length` more bytes of the body. Refused ones do not count: fewer may still be taken.
   * @throws DomainError `SERVICE_UNAVAILABLE` when the caller or all callers together hold too many already
   */
  take(length: number): void;
  /** Counts `length` more bytes, also beyond what may be held: for what exists already and is not to be thrown away. */
  count(length: number): void;
  /** Gives everything back, the free part too; called when the request is answered. May be called twice. */
  release(): void;
}

export interface BodyBudget {
  open(callerKey: string): BodyShare;
}

/** Four bodies of the largest kind; parsed, a body takes about three times its size. */
export const DEFAULT_BODY_BUDGET: BodyBudgetOptions = {
  freeBytes: 64 * 1024,
  callerBytes: 64 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
};

/** Of senders that only their bodies can tell, while they are read: each address may send two of the largest callbacks. */
export const STRANGERS_BODY_BUDGET: BodyBudgetOptions = {
  freeBytes: 0,
  callerBytes: 16 * 1024 * 1024,
  totalBytes: 48 * 1024 * 1024,
  endsOldest: true,
};

/** Creates an empty budget. */
export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { freeBytes, callerBytes, totalBytes, endsOldest = false } = options;
  const held = new Map<string, number>();
  /** Shares that hold something, in the order in which they began to. */
  const holding = new Set<{ readonly callerKey: string; end(): void }>();
  let total = 0;
  return {
    open(callerKey) {
      let seen = 0;
      const ending = endsOldest ? new AbortController() : undefined;
      const release = () => {
        const left = (held.get(callerKey) ?? 0) - share.held;
        if (left > 0) held.set(callerKey, left);
        else held.delete(callerKey);
        total -= share.held;
        share.held = 0;
        seen = 0;
        holding.delete(self);
      };
      const self = {
        callerKey,
        end() {
          release();
          ending?.abort(tooMany());
        },
      };
      const makeRoom = (more: number) => {
        const isOverOwn = () => (held.get(callerKey) ?? 0) + more > callerBytes;
        while (isOverOwn() || total + more > totalBytes) {
          const isOwn = isOverOwn();
          const oldest = endsOldest && [...holding].find((other) => !isOwn || other.callerKey === callerKey);
          if (!oldest || oldest === self) throw tooMany();
          oldest.end();
        }
      };
      const beyond = (length: number) => Math.max(0, seen + length - freeBytes) - share.held;
      const count = (length: number) => {
        const more = beyond(length);
        seen += length;
        if (more <= 0) return;
        held.set(callerKey, (held.get(callerKey) ?? 0) + more);
        total += more;
        share.held += more;
        holding.add(self);
      };
      // No getter: V8 makes a hidden class for every literal with one, and what it holds stays until a full collection.
      const share = {
        held: 0,
        ...(ending === undefined ? {} : { ended: ending.signal }),
        take(length: number) {
          const more = beyond(length);
          if (more > 0) makeRoom(more);
          count(length);
        },
        count,
        release,
      };
      return share;
    },
  };
}

function tooMany(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many large bodies are being worked on; send fewer at a time.', {
    retryAfterSeconds: 1,
  });
}
