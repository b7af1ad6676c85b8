/** One call's time: the caller's signal and deadline, or the adapter's own limit, and the adapter's end. */
import { DomainError } from '../../core/errors.ts';
import { startTimer } from '../../core/long-timer.ts';
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';
import type { PlatformCallOptions } from '../../core/ports/platform.ts';
import { untilAborted } from '../../core/until-aborted.ts';

/** Time left for one call, across all its requests and waits. */
export interface CallTime {
  /** Fires at the deadline, or when the caller gives up. */
  readonly signal: AbortSignal;
  /** The post or profile that the call is about. */
  readonly resource?: string | undefined;
  /** Whose share of the rate the call uses; see `PlatformCallOptions`. */
  readonly caller?: string | undefined;
  /** Whose campaign the call is for; see `PlatformCallOptions`. */
  readonly brandId?: number | undefined;
  /** Milliseconds until the deadline; 0 once it has passed. */
  remainingMs(): number;
  /** @throws `PLATFORM_TIMEOUT` once the time is up or the caller gave up. */
  check(): void;
  /** Waits, or rejects with `PLATFORM_TIMEOUT` when the time is up first. */
  sleep(ms: number): Promise<void>;
  /** Settles as the work does, or rejects with `PLATFORM_TIMEOUT` when the time is up first. */
  orEnd<T>(work: Promise<T>): Promise<T>;
  /** The `PLATFORM_TIMEOUT` that says what was waited for. */
  timeoutError(): DomainError;
  /** Lets go of the timer and the caller's signal. */
  end(): void;
}

export function startCall(
  options: PlatformCallOptions | undefined,
  limitMs: number,
  clock: Clock,
  closing: AbortSignal,
  resource?: string,
): CallTime {
  const allowedMs = options?.deadline === undefined ? limitMs : options.deadline.getTime() - clock.now().getTime();
  const end = monotonicMs(clock) + allowedMs;
  const controller = new AbortController();
  const caller = options?.signal;
  const giveUp = (): void => controller.abort();
  const remainingMs = (): number => Math.max(0, end - monotonicMs(clock));
  const stopTimer = startTimer(giveUp, remainingMs());
  if (caller?.aborted === true || closing.aborted) giveUp();
  caller?.addEventListener('abort', giveUp);
  closing.addEventListener('abort', giveUp);

  const timeoutError = (): DomainError =>
    new DomainError('PLATFORM_TIMEOUT', 'The platform could not be read within the time allowed; try again later.', {
      details: { reason: closing.aborted ? 'closed' : caller?.aborted === true ? 'aborted' : 'deadline' },
    });

  const orEnd = <T>(work: Promise<T>): Promise<T> => untilAborted(work, controller.signal, timeoutError);

  return {
    signal: controller.signal,
    resource,
    caller: options?.caller,
    brandId: options?.brandId,
    remainingMs: () => (controller.signal.aborted ? 0 : remainingMs()),
    timeoutError,
    check() {
      if (controller.signal.aborted || remainingMs() === 0) throw timeoutError();
    },
    orEnd,
    async sleep(ms) {
      let stopWaiting = (): void => undefined;
      const wait = new Promise<void>((resolve) => {
        stopWaiting = startTimer(resolve, ms);
      });
      await orEnd(wait).finally(() => stopWaiting());
    },
    end() {
      stopTimer();
      caller?.removeEventListener('abort', giveUp);
      closing.removeEventListener('abort', giveUp);
    },
  };
}
