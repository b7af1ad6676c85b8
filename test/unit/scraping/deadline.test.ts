import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import type { PlatformCallOptions } from '../../../core/ports/platform.ts';

const clock = { now: () => new Date() };
const timeout = (reason: string) => expect.objectContaining({ code: 'PLATFORM_TIMEOUT', details: { reason } });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function begin(options?: PlatformCallOptions): { time: CallTime; closing: AbortController } {
  const closing = new AbortController();
  return { time: startCall(options, 1_000, clock, closing.signal, 'post'), closing };
}

describe('the time of a call', () => {
  it('is the adapter’s own without a deadline, and the deadline with one', () => {
    for (const ms of [1_000, 300]) {
      const { time } = begin(ms === 1_000 ? undefined : { deadline: new Date(Date.now() + ms) });
      expect(time.remainingMs()).toBe(ms);
      vi.advanceTimersByTime(ms - 1);
      expect(time.remainingMs()).toBe(1);
      time.check();
      vi.advanceTimersByTime(1);
      expect(time.remainingMs()).toBe(0);
      expect(time.signal.aborted).toBe(true);
      expect(() => time.check()).toThrow(timeout('deadline'));
      time.end();
    }
  });

  it.each([-3_600_000, 3_600_000])('is as long as it was when the clock is set by %i ms meanwhile', (ms) => {
    const { time } = begin({ deadline: new Date(Date.now() + 300) });
    vi.setSystemTime(Date.now() + ms);
    expect(time.remainingMs()).toBe(300);
    time.check();
    vi.advanceTimersByTime(300);
    expect(time.remainingMs()).toBe(0);
    time.end();
  });

  it('is over when the caller gives up or the adapter closes, and says which', () => {
    const caller = new AbortController();
    const first = begin({ signal: caller.signal });
    caller.abort();
    expect(first.time.remainingMs()).toBe(0);
    expect(() => first.time.check()).toThrow(timeout('aborted'));
    const second = begin();
    second.closing.abort();
    expect(() => second.time.check()).toThrow(timeout('closed'));
    const third = begin({ signal: AbortSignal.abort() });
    expect(() => third.time.check()).toThrow(timeout('aborted'));
    const closed = startCall(undefined, 1_000, clock, AbortSignal.abort());
    expect(closed.timeoutError()).toEqual(timeout('closed'));
    expect(closed.signal.aborted).toBe(true);
  });

  it('lets a wait end on its own, or ends it', async () => {
    const { time } = begin();
    const short = time.sleep(400);
    await vi.advanceTimersByTimeAsync(400);
    await short;
    const long = expect(time.sleep(5_000)).rejects.toEqual(timeout('deadline'));
    await vi.advanceTimersByTimeAsync(600);
    await long;
    await expect(time.sleep(0)).rejects.toEqual(timeout('deadline'));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves nothing behind when it ends', () => {
    const caller = new AbortController();
    const { time, closing } = begin({ signal: caller.signal });
    time.end();
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    closing.abort();
    expect(time.signal.aborted).toBe(false);
  });
});
