import { describe, expect, it } from 'vitest';
import { readSeries } from '../../../core/engagement/series.ts';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';
import { ReadCounter } from '../../../core/platforms/count-reads.ts';
import type { SeriesRange } from '../../../core/ports/series.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { createTestClock } from '../../support/test-clock.ts';

const HOUR_MS = 3_600_000;

describe('reads of platforms, counted', () => {
  const clock = createTestClock(Date.parse('2026-11-28T22:59:00Z'));
  const logger = createRecordingLogger();
  const storage = storageOfEachTest();

  const series = (what: 'reads' | 'failures', by: SeriesRange['by'] = 'hour') =>
    readSeries({ storage, platforms: { names: ['instagram', 'tiktok'] }, clock })({
      what,
      by,
      from: new Date(clock.now().getTime() - 12 * HOUR_MS),
      to: new Date(clock.now().getTime() + HOUR_MS),
    });

  it('by hour and platform; that a post is not there or not shown is an answer, a refusal to read is none', async () => {
    const counter = new ReadCounter({ storage, clock, logger });
    const failing = async (code: ErrorCode | null) => {
      const error = code === null ? new TypeError('broken') : new DomainError(code, 'no');
      await expect(counter.counted('tiktok', () => Promise.reject(error))).rejects.toBe(error);
    };
    expect(await counter.counted('instagram', async () => 7)).toBe(7);
    await failing('POST_NOT_FOUND');
    await failing('POST_PRIVATE');
    await failing('PLATFORM_UNAVAILABLE');
    await failing('SCRAPING_RATE_LIMITED');
    await failing('NOT_SUPPORTED');
    clock.pass(HOUR_MS);
    await failing(null);
    await counter.close();
    const [first, second] = ['2026-11-28T22:00:00.000Z', '2026-11-28T23:00:00.000Z'].map((at) => new Date(at));
    expect(await series('reads')).toEqual([
      { at: first, name: 'instagram', count: 1 },
      { at: first, name: 'tiktok', count: 4 },
      { at: second, name: 'tiktok', count: 1 },
    ]);
    expect(await series('failures')).toEqual([
      { at: first, name: 'tiktok', count: 2 },
      { at: second, name: 'tiktok', count: 1 },
    ]);
    const day = new Date('2026-11-28T00:00:00.000Z');
    expect(await series('failures', 'day')).toEqual([{ at: day, name: 'tiktok', count: 3 }]);
  });

  it('a storage that is away does not fail the reads: they are missing, and the log says so', async () => {
    const counter = new ReadCounter({ storage, clock, logger });
    await counter.counted('instagram', async () => null);
    await storage.close();
    await counter.close();
    expect(logger.lines).toMatchObject([{ level: 'warn', message: 'reads of platforms could not be counted' }]);
  });
});
