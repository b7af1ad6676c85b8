/** What a run leads to when it is one too many; the rest is shown by the contract of the queues. */
import { expect, it, vi } from 'vitest';
import { createProcessor } from '../../../adapters/bullmq-jobs/processor.ts';
import { runJob, type Work } from '../../../adapters/leased-jobs/index.ts';
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
});
const live = () => new AbortController().signal;

function work() {
  const run = vi.fn<Work['run']>(async () => undefined);
  const givenUp = vi.fn<Work['givenUp']>(async () => undefined);
  return { run, givenUp };
}

it('a job whose process died in every run is concluded by whoever finds it, without another run', async () => {
  const subject = work();
  const outcome = await runJob(subject, job(4), live(), { settings, clock, logger });
  expect(outcome).toEqual({ kind: 'dead', error: 'Error: Never seen to end in 3 runs.' });
  expect(subject.run).not.toHaveBeenCalled();
  const error = expect.stringContaining('Never seen to end');
  expect(subject.givenUp).toHaveBeenCalledWith({ attemptId: 1 }, expect.objectContaining({ error }));
  expect(logger.lines.at(-1)).toMatchObject({ level: 'error', fields: { jobId: 7, key: 'verify:1', run: 4 } });
});

it('one whose conclusion takes processes down too is set aside without it', async () => {
  const subject = work();
  expect(await runJob(subject, job(7), live(), { settings, clock, logger })).toMatchObject({ kind: 'dead' });
  expect(subject.givenUp).not.toHaveBeenCalled();
});

it('a conclusion that is cut off by a stop costs nothing', async () => {
  const stopping = new AbortController();
  const subject = work();
  subject.givenUp.mockImplementation(async () => {
    stopping.abort();
    throw new Error('stopped');
  });
  const outcome = await runJob(subject, job(4), stopping.signal, { settings, clock, logger });
  expect(outcome).toEqual({ kind: 'again', runAt: clock.now(), error: null, counts: false });
});

it('BullMQ: runs whose process died count, and the job is concluded, set aside and forgotten in this order', async () => {
  const steps: string[] = [];
  class UnrecoverableError extends Error {}
  const subject: Work = {
    run: async () => void steps.push('run'),
    givenUp: async () => void steps.push('concluded'),
  };
  const processor = createProcessor(
    {
      bullmq: { UnrecoverableError, DelayedError: Error, WaitingError: Error } as unknown as typeof import('bullmq'),
      queues: { bury: async () => void steps.push('buried') } as never,
      copies: { drop: async () => void steps.push('copy dropped') } as never,
      settings: { ...settings } as never,
      clock,
      logger,
      running: new Set(),
    },
    'verify-attempt',
    subject,
  );
  const stalled = { id: 'key-1', data: { key: 'verify:1', payload: {} }, attemptsMade: 1, stalledCounter: 2 };
  await expect(processor(stalled as never, 'token')).rejects.toThrow(UnrecoverableError);
  expect(steps).toEqual(['concluded', 'buried', 'copy dropped']);
});
