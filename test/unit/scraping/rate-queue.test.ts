import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLocalBucket } from '../../../adapters/scraping/bucket.ts';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import { RateQueue } from '../../../adapters/scraping/rate-queue.ts';
import type { Rate } from '../../../adapters/scraping/types.ts';
import { isDomainError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/ports/clock.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** A request a second, after a burst that is far from used up. */
const SPACED: Rate = { burst: 10_000, refillEveryMs: HOUR, spacingMs: SECOND, concurrency: 1 };

let queue: RateQueue;
let ended: CallTime[];
let sent: string[];
/** Sent before it ends; by default a request ends at once. */
let answer: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  ended = [];
  sent = [];
  answer = async () => undefined;
});
afterEach(async () => {
  for (const time of ended) time.end();
  await vi.advanceTimersByTimeAsync(SECOND);
  queue.stop();
  await vi.advanceTimersByTimeAsync(SECOND);
  vi.useRealTimers();
});

function paced(rate: Rate): void {
  queue = new RateQueue(createLocalBucket(rate), rate);
}

interface AskOptions {
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** `end` is `waiting`, `sent`, or the code of the error, its time to retry after, and when it came. */
interface Asked {
  end: unknown;
}

function ask(caller: string | undefined, options: AskOptions = {}): Asked {
  const { limitMs = HOUR, signal } = options;
  const deadline = new Date(Date.now() + limitMs);
  const time = startCall({ deadline, caller, signal }, limitMs, systemClock, new AbortController().signal);
  ended.push(time);
  const start = Date.now();
  const task = async () => {
    sent.push(caller ?? 'nobody');
    await answer();
    return 'sent';
  };
  const asked: Asked = { end: 'waiting' };
  queue.run(time, task, HOUR).then(
    (value) => {
      asked.end = value;
    },
    (error: unknown) => {
      asked.end = isDomainError(error) ? [error.code, error.retryAfterSeconds, Date.now() - start] : error;
    },
  );
  return asked;
}

const askOften = (count: number, caller: string | undefined, options?: AskOptions): Asked[] =>
  Array.from({ length: count }, () => ask(caller, options));

const endsOf = (asked: readonly Asked[]): unknown[] => asked.map(({ end }) => end);

describe('callers that wait for a rate', () => {
  it('take turns, however much one of them has waiting', async () => {
    paced(SPACED);
    askOften(500, 'greedy');
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    const before = sent.length;
    const other = [ask('other'), ask('other'), ask('third')];
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    expect(endsOf(other)).toEqual(['sent', 'sent', 'sent']);
    expect(sent.slice(before, before + 5)).toEqual(['greedy', 'other', 'third', 'greedy', 'other']);
    expect(sent.slice(0, before)).toEqual(Array(before).fill('greedy'));
  });

  it('leave their turn to others when they give up, also when it is the last moment', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const leaver = new AbortController();
    const left = askOften(20, 'leaver', { signal: leaver.signal });
    const other = ask('other');
    await vi.advanceTimersByTimeAsync(800);
    leaver.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(endsOf(left)).toEqual(Array(20).fill(['PLATFORM_TIMEOUT', undefined, 800]));
    await vi.advanceTimersByTimeAsync(200);
    expect(other.end).toBe('sent');
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
    await vi.advanceTimersByTimeAsync(0);
    expect(left.end).toEqual(['PLATFORM_TIMEOUT', undefined, 100]);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(sent).toEqual(['first']);
    const next = ask('next', { limitMs: SECOND });
    await vi.advanceTimersByTimeAsync(100);
    expect(next.end).toBe('sent');
  });
});

describe('a request that would wait for too long', () => {
  it('is refused at once, with the time until the turn of its caller', async () => {
    paced(SPACED);
    askOften(500, 'greedy');
    await vi.advanceTimersByTimeAsync(100);
    const greedy = ask('greedy', { limitMs: 30 * SECOND });
    await vi.advanceTimersByTimeAsync(10);
    expect(greedy.end).toEqual(['SCRAPING_RATE_LIMITED', 499, expect.any(Number)]);
    const other = ask('other', { limitMs: 30 * SECOND });
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect(other.end).toBe('sent');
  });

  it('ends at once if its caller has given up before', async () => {
    paced(SPACED);
    const early = ask('early', { signal: AbortSignal.abort() });
    await vi.advanceTimersByTimeAsync(10);
    expect(early.end).toEqual(['PLATFORM_TIMEOUT', undefined, expect.any(Number)]);
    expect(sent).toEqual([]);
  });

  it('ends at its deadline when others came before it', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const deadline = askOften(3, 'deadline', { limitMs: 5 * SECOND });
    await vi.advanceTimersByTimeAsync(100);
    for (let index = 0; index < 20; index += 1) ask(`newcomer ${index}`);
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    const codes = endsOf(deadline).map((end) => (Array.isArray(end) ? end[0] : end));
    expect(codes).toEqual(['sent', 'PLATFORM_TIMEOUT', 'PLATFORM_TIMEOUT']);
  });

  it('may wait with a thousand others of its caller', async () => {
    paced(SPACED);
    ask('first');
    await vi.advanceTimersByTimeAsync(100);
    const many = askOften(1_001, 'greedy');
    await vi.advanceTimersByTimeAsync(10);
    const refused = ['SCRAPING_RATE_LIMITED', 1_000, expect.any(Number)];
    expect(endsOf(many)).toEqual([...Array(1_000).fill('waiting'), refused]);
  });
});

describe('a queue that is stopped', () => {
  it('ends the requests that wait, and later ones', async () => {
    paced({ burst: 4, refillEveryMs: 60 * SECOND, spacingMs: SECOND, concurrency: 1 });
    const all = askOften(5, 'only');
    await vi.advanceTimersByTimeAsync(1_500);
    queue.stop();
    await vi.advanceTimersByTimeAsync(100);
    // But for the time limits of the calls themselves.
    expect(vi.getTimerCount()).toBe(ended.length);
    const refused = ['PLATFORM_TIMEOUT', undefined, 1_500];
    expect(endsOf(all)).toEqual(['sent', 'sent', refused, refused, refused]);
    const late = ask('only');
    await vi.advanceTimersByTimeAsync(100);
    expect(late.end).toEqual(['PLATFORM_TIMEOUT', undefined, expect.any(Number)]);
  });

  it('lets a request that was sent end as it does', async () => {
    paced(SPACED);
    answer = () => new Promise((resolve) => setTimeout(resolve, 5 * SECOND));
    const one = ask('only');
    await vi.advanceTimersByTimeAsync(100);
    queue.stop();
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    expect(one.end).toBe('sent');
  });
});

it.each([-HOUR, HOUR])('keeps its rate when the clock is set by %i ms', async (ms) => {
  paced({ burst: 2, refillEveryMs: 60 * SECOND, spacingMs: SECOND, concurrency: 5 });
  askOften(4, 'one');
  await vi.advanceTimersByTimeAsync(500);
  vi.setSystemTime(Date.now() + ms);
  for (const [seconds, count] of [
    [1, 2],
    [58, 2],
    [2, 3],
    [58, 3],
    [3, 4],
  ] as const) {
    await vi.advanceTimersByTimeAsync(seconds * SECOND);
    expect(sent).toHaveLength(count);
  }
});

describe('a rate that processes share', () => {
  let left: () => Promise<number>;
  let take: () => Promise<number>;

  beforeEach(() => {
    const bucket = createLocalBucket(SPACED);
    left = async () => 5;
    take = bucket.take;
    queue = new RateQueue({ left: () => left(), take: () => take() }, SPACED);
  });

  const unavailable = (afterMs: number) => ['PLATFORM_UNAVAILABLE', 5, afterMs];

  it('is not asked for longer than the call has time', async () => {
    left = () => new Promise(() => undefined);
    const [late, early] = [ask('one', { limitMs: 500 }), ask('one', { signal: AbortSignal.abort() })];
    await vi.advanceTimersByTimeAsync(1);
    expect(early.end).toEqual(['PLATFORM_TIMEOUT', undefined, expect.any(Number)]);
    await vi.advanceTimersByTimeAsync(499);
    expect(late.end).toEqual(['PLATFORM_TIMEOUT', undefined, 500]);
  });

  it('is not kept while the store cannot be asked, by nobody who waits either, and again after that', async () => {
    const waiting = [...askOften(2, 'one'), ask('other')];
    await vi.advanceTimersByTimeAsync(500);
    const working = take;
    left = () => Promise.reject(new Error('Connection is closed.'));
    take = left;
    const late = ask('other');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(endsOf(waiting)).toEqual(['sent', unavailable(expect.any(Number)), unavailable(expect.any(Number))]);
    expect(late.end).toEqual(unavailable(0));
    left = async () => 5;
    take = working;
    const after = ask('one');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(after.end).toBe('sent');
  });

  it('says that it cannot be checked', async () => {
    left = () => Promise.reject(new Error('Connection is closed.'));
    const time = startCall(undefined, HOUR, systemClock, new AbortController().signal);
    ended.push(time);
    const asked = queue.run(time, async () => undefined, HOUR);
    await expect(asked).rejects.toMatchObject({ details: { reason: 'rate-limit-unavailable' } });
  });
});
