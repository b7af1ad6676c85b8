import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createLimiterConnection,
  createRedisRateLimiter,
  reconnecting,
} from '../../../adapters/redis-rate-limiter/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

describe('a client of Redis', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('reconnects when the server at the other end is not the one to ask any more', () => {
    const refusals = [
      "READONLY You can't write against a read only replica. script: 5ab4, on @user_script:589.",
      'LOADING Redis is loading the dataset in memory',
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      'ERR Error running script (call to f_5ab4): @user_script:589: @user_script: 589: -READONLY You cannot write',
    ];
    for (const text of refusals) {
      expect(reconnecting().reconnectOnError(new Error(text))).toBe(1);
      expect(reconnecting({ resends: true }).reconnectOnError(new Error(text))).toBe(2);
    }
    for (const text of ['ERR unknown command', 'NOSCRIPT No matching script', 'ERR the job key:READONLY-1 is locked'])
      expect(reconnecting().reconnectOnError(new Error(text))).toBe(false);
  });

  it('waits longer and longer while new connections are refused too, and not because of an old refusal', () => {
    const { retryStrategy, reconnectOnError } = reconnecting();
    const refused = () => {
      reconnectOnError(new Error('READONLY'));
      return retryStrategy(1);
    };
    expect(refused()).toBe(100);
    vi.advanceTimersByTime(1_000);
    expect(refused()).toBe(500);
    vi.advanceTimersByTime(8_000);
    expect(refused()).toBe(2_000);
    vi.advanceTimersByTime(10_000);
    expect(retryStrategy(1)).toBe(100);
    expect(refused()).toBe(100);
  });

  it('waits at most two seconds for a server that is away', () => {
    const { retryStrategy } = reconnecting();
    expect([1, 2, 3, 100].map((attempt) => retryStrategy(attempt))).toEqual([100, 200, 400, 2_000]);
  });
});

it('says why Redis cannot be asked, and not how often it was tried', async () => {
  const logger = createRecordingLogger();
  const redis = { url: 'redis://127.0.0.1:1', logger };
  const limiter = createRedisRateLimiter(redis);
  await limiter.consume({ name: 'requests', units: 1, windowSeconds: 1 }, 'somebody', 1);
  await limiter.close();
  const rates = createLimiterConnection(redis);
  await rates.open();
  await rates.disconnect();
  const refused = { reason: 'connect ECONNREFUSED 127.0.0.1:1' };
  expect(logger.lines.map(({ fields }) => fields)).toEqual([refused, refused]);
});
