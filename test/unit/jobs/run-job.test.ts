/** What a run leads to when it is one too many; the rest is shown by the contract of the queues. */
import { describe, expect, it, vi } from 'vitest';
import { createProcessor } from '../../../adapters/bullmq-jobs/processor.ts';
import { runJob, type Work } from '../../../adapters/leased-jobs/index.ts';
import { DomainError } from '../../../core/errors.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

const settings = { maxRuns: 3, backoffMs: 10, maxBackoffMs: 100 };
const clock = { now: () => new Date('2026-11-01T09:30:00Z') };
const logger = createRecordingLogger();
const job = (run: number) => ({
  id: 7,
  type: 'verify-attempt' as const,
  key: 'verify:1',
  payload: { attemptId: 1 },
  run,
  starts: run,
  createdAt: clock.now(),
});
const live = () => new AbortController().signal;

function work() {
  const run = vi.fn<Work['run']>(async () => undefined);
  const onDeadLetter = vi.fn<Work['onDeadLetter']>(async () => undefined);
  return { run, onDeadLetter };
}

it('one whose conclusion takes processes down too is set aside without it', async () => {
  const subject = work();
  expect(await runJob(subject, job(7), live(), { settings, clock, logger })).toMatchObject({ kind: 'dead' });
  expect(subject.onDeadLetter).not.toHaveBeenCalled();
});

it('a conclusion that is cut off by a stop costs nothing', async () => {
  const stopping = new AbortController();
  const subject = work();
  subject.onDeadLetter.mockImplementation(async () => {
    stopping.abort();
    throw new Error('stopped');
  });
  const outcome = await runJob(subject, job(4), stopping.signal, { settings, clock, logger });
  expect(outcome).toEqual({ kind: 'again', runAt: clock.now(), error: null, counts: false });
});

describe('BullMQ', () => {
  class UnrecoverableError extends Error {}
  class DelayedError extends Error {}
  const bullmq = { UnrecoverableError, DelayedError, WaitingError: Error } as unknown as typeof import('bullmq');

  function bench(attemptsMade: number) {
    const steps: string[] = [];
    const run = async () => void steps.push('run');
    const subject: Work = { run, onDeadLetter: async () => void steps.push('concluded') };
    const drop = vi.fn(async () => void steps.push('copy dropped'));
    const processor = createProcessor(
      {
        bullmq,
        queues: { deadLetter: async () => void steps.push('buried') } as never,
        copies: { drop } as never,
        settings: { ...settings } as never,
        clock,
        logger,
        running: new Set(),
      },
      'verify-attempt',
      subject,
    );
    const record = {
      id: 'key-1',
      data: { key: 'verify:1', payload: {} },
      attemptsMade,
      attemptsStarted: attemptsMade + 1,
      stalledCounter: 2,
      timestamp: clock.now().getTime(),
      moveToDelayed: async () => void steps.push('put off'),
    };
    return { steps, drop, process: () => processor(record as never, 'token') };
  }

  const away = new DomainError('SERVICE_UNAVAILABLE', 'away');

  it('runs whose process died count, and the job is concluded, forgotten and set aside in this order', async () => {
    const { steps, process } = bench(1);
    await expect(process()).rejects.toThrow(UnrecoverableError);
    expect(steps).toEqual(['concluded', 'copy dropped', 'buried']);
  });

  it('a job that is done is not over before its copy is dropped', async () => {
    const { steps, drop, process } = bench(0);
    drop.mockRejectedValueOnce(away);
    await expect(process()).rejects.toThrow(DelayedError);
    expect(steps).toEqual(['run', 'put off']);
    await process();
    expect(steps.slice(2)).toEqual(['run', 'copy dropped']);
  });

  it('no record is made of a job given up whose copy cannot be dropped', async () => {
    const { steps, drop, process } = bench(1);
    drop.mockRejectedValueOnce(away);
    await expect(process()).rejects.toThrow(DelayedError);
    expect(steps).toEqual(['concluded', 'put off']);
  });

  it('other trouble with the copy is told to BullMQ', async () => {
    const { drop, process } = bench(0);
    drop.mockRejectedValueOnce(new Error('a defect'));
    await expect(process()).rejects.toThrow('a defect');
  });
});
