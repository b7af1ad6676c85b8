/**
 * Counts the bytes of large bodies that an instance holds: of requests and of answers. Every route
 * bounds its own; without a bound over all of them, some dozens of requests at once could still fill the memory.
 */
import { DomainError } from '../../core/errors.ts';

export interface ByteLimits {
  /** Of every request, these are free: requests of ordinary size are never refused. */
  readonly freeBytes: number;
  /** Of one caller, so that nobody uses up what all share. */
  readonly callerBytes: number;
  readonly totalBytes: number;
  /**
   * Makes room by ending the oldest share instead of refusing the new one: for senders of whom nothing is known. A sender that
   * is slow, or stops midway, then holds up nobody; only a flood that is faster than a true sender does.
   */
  readonly endsOldest?: boolean;
}

/** What one request holds. */
export interface ByteShare {
  readonly caller: string;
  /** Bytes that count at present. */
  readonly held: number;
  /** Aborts when the body has to make room for later ones: stop reading it. Only with `endsOldest`. */
  readonly ended: AbortSignal | undefined;
  /**
   * Counts `length` more bytes. Refused bytes do not count: fewer may still be taken.
   * @throws DomainError `SERVICE_UNAVAILABLE` when the caller or all callers together hold too many already
   */
  take(length: number): void;
  /** Counts `length` more bytes, also beyond the limits: for an answer that exists already. */
  count(length: number): void;
  /** Gives everything back, the free part too. May be called twice. */
  release(): void;
}

export interface ByteCounter {
  open(caller: string): ByteShare;
}

/** Four bodies of the largest kind; parsed, a body takes about three times its size. */
export const CALLER_BYTES: ByteLimits = {
  freeBytes: 64 * 1024,
  callerBytes: 64 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
};

/** For senders without a token, by address: each may send two of the largest callbacks. */
export const STRANGER_BYTES: ByteLimits = {
  freeBytes: 0,
  callerBytes: 16 * 1024 * 1024,
  totalBytes: 48 * 1024 * 1024,
  endsOldest: true,
};

/** Creates a counter that holds nothing yet. */
export function createByteCounter(limits: ByteLimits): ByteCounter {
  const { freeBytes, callerBytes, totalBytes, endsOldest = false } = limits;
  /** Shares that hold something, the oldest first. */
  const holding = new Map<ByteShare, () => void>();
  /** Bytes that are held: of each caller, and under null of all. */
  const sums = new Map<string | null, number>();
  const sumOf = (caller: string | null) => sums.get(caller) ?? 0;
  const hold = (share: ByteShare & { held: number }, held: number) => {
    for (const one of [share.caller, null]) sums.set(one, sumOf(one) + held - share.held);
    if (sumOf(share.caller) === 0) sums.delete(share.caller);
    share.held = held;
  };
  const makeRoom = (share: ByteShare, more: number) => {
    for (;;) {
      const isOverOwn = sumOf(share.caller) + more > callerBytes;
      if (!isOverOwn && sumOf(null) + more <= totalBytes) return;
      const oldest = [...holding.keys()].find(({ caller }) => !isOverOwn || caller === share.caller);
      if (!endsOldest || oldest === undefined || oldest === share) throw tooMany();
      holding.get(oldest)?.();
    }
  };
  return {
    open(caller) {
      let bytes = 0;
      const ending = endsOldest ? new AbortController() : undefined;
      const heldOf = (length: number) => Math.max(0, length - freeBytes);
      const end = () => {
        share.release();
        ending?.abort(tooMany());
      };
      // No getter: V8 makes a hidden class for every literal with one, and what it holds stays until a full collection.
      const share: ByteShare & { held: number } = {
        caller,
        held: 0,
        ended: ending?.signal,
        take(length) {
          const more = heldOf(bytes + length) - share.held;
          if (more > 0) makeRoom(share, more);
          share.count(length);
        },
        count(length) {
          bytes += length;
          hold(share, heldOf(bytes));
          if (share.held > 0) holding.set(share, end);
        },
        release() {
          bytes = 0;
          hold(share, 0);
          holding.delete(share);
        },
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
