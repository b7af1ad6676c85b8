import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import { createPacer, type Pacer } from '../../../adapters/scraping/pacing.ts';
import type { Rate } from '../../../adapters/scraping/types.ts';
import { isDomainError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/ports/clock.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** A request a second, after a burst that is far from used up. */
const SPACED: Rate = { burst: 10_000, refillEveryMs: HOUR, spacingMs: SECOND, concurrency: 1 };

let pacer: Pacer;
let ended: CallTime[];
let sent: string[];
/** Sent before it ends; by default a request ends at once. */
let answer: () => Promise<void>;

// Loading takes real time, which fake timers do not let pass.
beforeAll(async () => {
  await import('../../../adapters/scraping/bottleneck-pacer.ts');
});
beforeEach(() => {
  vi.useFakeTimers();
  ended = [];
  sent = [];
  answer = async () => undefined;
});
afterEach(async () => {
  const closed = pacer.close();
  await vi.advanceTimersByTimeAsync(SECOND);
  await closed;
  for (const time of ended) time.end();
  vi.useRealTimers();
});

function paced(rate: Rate): void {
  pacer = createPacer({ mode: 'safe', rates: { page: rate }, name: 'test' });
}

interface AskOptions {
  readonly limitMs?: number;
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/** Resolves to `sent`, or to how the request ended: its code, the time to retry after if any, and when. */
function ask(caller: string | undefined, options: AskOptions = {}): Promise<unknown> {
  const { limitMs = HOUR, patienceMs, signal } = options;
  const deadline = new Date(Date.now() + limitMs);
  const time = startCall({ deadline, caller, signal }, limitMs, systemClock, new AbortController().signal);
  ended.push(time);
  const start = Date.now();
  const task = async () => {
    sent.push(caller ?? 'nobody');
    await answer();
    return 'sent';
  };
  return pacer.run('key', 'page', time, task, patienceMs).catch((error: unknown) => {
    if (!isDomainError(error)) throw error;
    return [error.code, error.retryAfterSeconds, Date.now() - start];
  });
}

const asked = (count: number, caller: string | undefined, options?: AskOptions): Promise<unknown>[] =>
  Array.from({ length: count }, () => ask(caller, options));

describe('callers that wait for a rate', () => {
  it('take turns, however much one of them has waiting', async () => {
    paced(SPACED);
    asked(500, 'greedy');
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    const before = sent.length;
    const other = [ask('other'), ask('other'), ask('third')];
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    expect(await Promise.all(other)).toEqual(['sent', 'sent', 'sent']);
    expect(sent.slice(before, before + 5)).toEqual(['greedy', 'other', 'third', 'greedy', 'other']);
    expect(sent.slice(0, before)).toEqual(Array(before).fill('greedy'));
  });

  it('take turns for refills too, also those that name nobody', async () => {
    paced({ burst: 2, refillEveryMs: 10 * SECOND, spacingMs: 0, concurrency: 5 });
    asked(30, undefined);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(sent).toEqual(['nobody', 'nobody']);
    const first = ask('new');
    await vi.advanceTimersByTimeAsync(25 * SECOND);
    expect(await first).toBe('sent');
    expect(sent).toHaveLength(4);
  });

  it('go ahead of a caller that has used up its share, without a wait', async () => {
    paced({ burst: 4, refillEveryMs: 60 * SECOND, spacingMs: 0, concurrency: 5 });
    asked(10, 'greedy');
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(sent).toEqual(['greedy', 'greedy', 'greedy']);
    const other = ask('other', { limitMs: 500 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await other).toBe('sent');
  });

  it('get each refill of the rate when one caller alone waits', async () => {
    paced({ burst: 4, refillEveryMs: 60 * SECOND, spacingMs: 0, concurrency: 5 });
    asked(10, 'only');
    await vi.advanceTimersByTimeAsync(3 * 61 * SECOND);
    expect(sent).toHaveLength(3 + 3);
  });

  it('leave their turn to others when they give up, also when it is the last moment', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const leaver = new AbortController();
    const left = asked(20, 'leaver', { signal: leaver.signal });
    const other = ask('other');
    await vi.advanceTimersByTimeAsync(800);
    leaver.abort();
    expect(await Promise.all(left)).toEqual(Array(20).fill(['PLATFORM_TIMEOUT', undefined, 800]));
    await vi.advanceTimersByTimeAsync(200);
    expect(await other).toBe('sent');
    expect(sent).toEqual(['first', 'other']);
  });

  it('give back a turn that nobody wants any more', async () => {
    paced({ burst: 2, refillEveryMs: HOUR, spacingMs: SECOND, concurrency: 1 });
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const leaver = new AbortController();
    const left = ask('leaver', { signal: leaver.signal });
    await vi.advanceTimersByTimeAsync(100);
    leaver.abort();
    await left;
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(sent).toEqual(['first']);
    const next = ask('next', { limitMs: SECOND });
    await vi.advanceTimersByTimeAsync(100);
    expect(await next).toBe('sent');
  });
});

describe('a request that would wait for too long', () => {
  it('is refused at once, with the time until the turn of its caller', async () => {
    paced(SPACED);
    asked(500, 'greedy');
    await vi.advanceTimersByTimeAsync(100);
    const greedy = ask('greedy', { limitMs: 30 * SECOND });
    await vi.advanceTimersByTimeAsync(10);
    expect(await greedy).toEqual(['SCRAPING_RATE_LIMITED', 499, expect.any(Number)]);
    const other = ask('other', { limitMs: 30 * SECOND });
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect(await other).toBe('sent');
  });

  it('is told of the refills that it needs beyond those that others wait for', async () => {
    paced({ burst: 1, refillEveryMs: 10 * SECOND, spacingMs: 0, concurrency: 1 });
    asked(4, undefined);
    await vi.advanceTimersByTimeAsync(100);
    const own = ask(undefined, { limitMs: 5 * SECOND });
    const other = ask('other', { limitMs: 5 * SECOND });
    await vi.advanceTimersByTimeAsync(10);
    // Three wait of the first caller, and one of them goes before a newcomer.
    expect([await own, await other]).toEqual([
      ['SCRAPING_RATE_LIMITED', 40, expect.any(Number)],
      ['SCRAPING_RATE_LIMITED', 20, expect.any(Number)],
    ]);
  });

  it('ends after its patience when others came before it, and at its deadline', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const patience = asked(3, 'patient', { patienceMs: 3 * SECOND });
    const deadline = asked(3, 'deadline', { limitMs: 5 * SECOND });
    await vi.advanceTimersByTimeAsync(100);
    for (let index = 0; index < 20; index += 1) ask(`newcomer ${index}`);
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    const codes = (await Promise.all([...patience, ...deadline])).map((end) => (Array.isArray(end) ? end[0] : end));
    expect(codes).toEqual([
      ...['sent', 'SCRAPING_RATE_LIMITED', 'SCRAPING_RATE_LIMITED'],
      ...['sent', 'PLATFORM_TIMEOUT', 'PLATFORM_TIMEOUT'],
    ]);
  });

  it('is refused when its caller has a thousand waiting, while others may come', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const many = asked(1_001, 'greedy');
    await vi.advanceTimersByTimeAsync(10);
    expect(await many.at(-1)).toEqual(['SCRAPING_RATE_LIMITED', 1_000, expect.any(Number)]);
    const other = ask('other');
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect(await other).toBe('sent');
  });

  it('is refused when five thousand wait', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    for (let caller = 0; caller < 6; caller += 1) asked(900, `caller ${caller}`, { limitMs: 2 * HOUR });
    await vi.advanceTimersByTimeAsync(10);
    const last = ask('another', { limitMs: 2 * HOUR });
    await vi.advanceTimersByTimeAsync(10);
    // One of each of the others goes before.
    expect(await last).toEqual(['SCRAPING_RATE_LIMITED', 6, expect.any(Number)]);
  });
});

describe('an identity that is not used any more', () => {
  it('has no requests that wait, those for a share included', async () => {
    paced({ burst: 4, refillEveryMs: 60 * SECOND, spacingMs: SECOND, concurrency: 1 });
    const all = asked(5, 'only');
    await vi.advanceTimersByTimeAsync(1_500);
    const forgotten = pacer.forget('key');
    await vi.advanceTimersByTimeAsync(100);
    await forgotten;
    const refused = ['PLATFORM_TIMEOUT', undefined, 1_500];
    expect(await Promise.all(all)).toEqual(['sent', 'sent', refused, refused, refused]);
    const again = ask('only');
    await vi.advanceTimersByTimeAsync(100);
    expect(await again).toBe('sent');
  });

  it('lets a request that was sent end as it does', async () => {
    paced(SPACED);
    answer = () => new Promise((resolve) => setTimeout(resolve, 5 * SECOND));
    const one = ask('only');
    await vi.advanceTimersByTimeAsync(100);
    const forgotten = pacer.forget('key');
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    await forgotten;
    expect(await one).toBe('sent');
  });
});
