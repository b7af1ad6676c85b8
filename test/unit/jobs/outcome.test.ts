import { describe, expect, it } from 'vitest';
import { errorText, outcomeOfFailure } from '../../../adapters/leased-jobs/outcome.ts';
import { DomainError } from '../../../core/errors.ts';
import { RescheduleError } from '../../../core/ports/job-queue.ts';

const now = new Date('2026-11-01T12:00:00Z');
const settings = { maxRuns: 4, backoffMs: 1_000, maxBackoffMs: 3_000 };
const outcome = (error: unknown, run: number, random = 1, more: { starts?: number; createdAt?: Date } = {}) =>
  outcomeOfFailure(error, { run, starts: run, createdAt: now, ...more }, now, settings, () => random);
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);

describe('what becomes of a job that threw', () => {
  it('RescheduleError: again when it says, without using up a run', () => {
    const at = later(86_400_000);
    const again = { kind: 'again', runAt: at, error: null, counts: false };
    expect(outcome(new RescheduleError(at, 'not yet'), 99)).toEqual(again);
  });

  it('anything else: again with a backoff that doubles up to its bound, half of it random', () => {
    const runs = [1, 2, 3].map((run) => outcome(new Error('no'), run));
    expect(runs).toEqual([
      { kind: 'again', runAt: later(1_000), error: 'Error: no', counts: true },
      { kind: 'again', runAt: later(2_000), error: 'Error: no', counts: true },
      { kind: 'again', runAt: later(3_000), error: 'Error: no', counts: true },
    ]);
    expect(outcome(new Error('no'), 1, 0)).toMatchObject({ runAt: later(500) });
  });

  it('the last run: dead', () => {
    expect(outcome(new Error('no'), 4)).toEqual({ kind: 'dead', error: 'Error: no' });
    expect(outcome('text', 5)).toMatchObject({ kind: 'dead' });
  });

  it('a rate limit: not before it is over, at most a day', () => {
    const limited = (retryAfterSeconds: number) =>
      new DomainError('SCRAPING_RATE_LIMITED', 'slow', { retryAfterSeconds });
    expect(outcome(limited(90), 1)).toMatchObject({ runAt: later(90_000) });
    expect(outcome(limited(1e9), 1)).toMatchObject({ runAt: later(86_400_000) });
  });

  describe('the storage or the service is away', () => {
    const away = new DomainError('SERVICE_UNAVAILABLE', 'try again');
    const error = 'SERVICE_UNAVAILABLE: try again';

    it('again without using up a run, though it be the last one, waiting longer the more often it was begun', () => {
      expect(outcome(away, 4, 1, { starts: 1 })).toEqual({ kind: 'again', runAt: later(1_000), error, counts: false });
      expect(outcome(away, 4, 1, { starts: 2 })).toMatchObject({ runAt: later(2_000), counts: false });
      expect(outcome(away, 4, 0, { starts: 500 })).toMatchObject({ runAt: later(1_500), counts: false });
    });

    it('at most half a minute, where other failures wait longer', () => {
      const patient = { ...settings, maxBackoffMs: 600_000 };
      const job = { run: 20, starts: 20, createdAt: now };
      const wait = (failure: unknown) => outcomeOfFailure(failure, job, now, { ...patient, maxRuns: 99 }, () => 1);
      expect(wait(away)).toMatchObject({ runAt: later(30_000) });
      expect(wait(new Error('no'))).toMatchObject({ runAt: later(600_000) });
    });

    it('a job of more than a week counts it like any failure: it may be its own', () => {
      const aged = (days: number) => ({ createdAt: later(-days * 86_400_000) });
      expect(outcome(away, 1, 1, aged(6.99))).toMatchObject({ counts: false });
      expect(outcome(away, 1, 1, aged(7))).toMatchObject({ kind: 'again', counts: true });
      expect(outcome(away, 4, 1, aged(7))).toEqual({ kind: 'dead', error });
    });
  });

  it('keeps a short text of the error, never its stack or cause', () => {
    expect(errorText(new DomainError('NOT_FOUND', 'gone', { cause: new Error('secret') }))).toBe('NOT_FOUND: gone');
    expect(errorText(new Error('x'.repeat(10_000)))).toHaveLength(500);
    expect(errorText({ password: 'secret' })).not.toContain('secret');
  });
});
