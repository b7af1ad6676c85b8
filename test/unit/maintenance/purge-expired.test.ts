import { describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { inOneProcess } from '../../../core/maintenance/one-process.ts';
import { purgeExpired } from '../../../core/maintenance/purge-expired.ts';
import { type PurgeStep, RETAINED_KINDS, type RetainedKind } from '../../../core/ports/retention-store.ts';
import { EnvironmentError, readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createTestClock } from '../../support/test-clock.ts';

const START = new Date('2026-11-01T09:30:00Z');
const clock = { now: () => START };

/** What goes sooner than all else. */
const OWN_AGE: Partial<Record<RetainedKind, string>> = {
  unconnected: '2026-11-01T08:30:00Z',
  idempotency: '2026-11-01T09:30:00Z',
  leftovers: '2026-11-01T09:30:00Z',
};

describe('purging what has expired', () => {
  function scripted(answer: (from: number) => PurgeStep) {
    const asked: [RetainedKind, number][] = [];
    let passed = 0;
    const movingClock = { now: () => new Date(START.getTime() + passed), monotonicMs: () => passed };
    const retention = {
      purge: async (kind: RetainedKind, before: Date, from: number): Promise<PurgeStep> => {
        const expected = OWN_AGE[kind] ?? '2026-10-02T09:30:00Z';
        expect(before).toEqual(new Date(new Date(expected).getTime() + passed));
        asked.push([kind, from]);
        return kind === 'deliveries' ? answer(from) : { removed: 0, next: null };
      },
    };
    const logger = createRecordingLogger();
    const purge = purgeExpired({ storage: { retention }, clock: movingClock, logger, days: 30, maxSteps: 3 });
    return { asked, logger, purge, later: (milliseconds: number) => (passed += milliseconds) };
  }
  const stepsOf = (asked: readonly [RetainedKind, number][]) =>
    asked.filter(([kind]) => kind === 'deliveries').map(([, from]) => from);

  it('takes steps until nothing is left, for every kind, and says what it removed', async () => {
    const { asked, logger, purge } = scripted((from) => ({ removed: 10, next: from < 20 ? from + 10 : null }));
    expect(await purge()).toBe(30);
    expect(stepsOf(asked)).toEqual([0, 10, 20]);
    expect(new Set(asked.map(([kind]) => kind))).toEqual(new Set(RETAINED_KINDS));
    expect(logger.lines).toMatchObject([{ level: 'info', fields: { kind: 'deliveries', removed: 30 } }]);
  });

  it('is bounded a call; the next one continues where it stopped', async () => {
    const { asked, purge } = scripted((from) => ({ removed: 0, next: from < 40 ? from + 10 : null }));
    for (let calls = 0; calls < 3; calls += 1) await purge();
    expect(stepsOf(asked)).toEqual([0, 10, 20, 30, 40, 40]);
  });

  it('looks from the oldest on again after an hour, for what was passed over', async () => {
    const { asked, purge, later } = scripted((from) => ({ removed: 0, next: from < 20 ? from + 10 : null }));
    for (let calls = 0; calls < 3; calls += 1) await purge();
    expect(stepsOf(asked).splice(0)).toEqual([0, 10, 20, 20, 20]);
    later(3_600_000);
    await purge();
    expect(stepsOf(asked).slice(5)).toEqual([0, 10, 20]);
  });
});

it('removes connection requests that led to nothing, expired idempotency keys and leftovers, even if all else is kept forever', async () => {
  const asked: RetainedKind[] = [];
  const retention = {
    purge: async (kind: RetainedKind): Promise<PurgeStep> => {
      asked.push(kind);
      return { removed: 1, next: null };
    },
  };
  expect(await purgeExpired({ storage: { retention }, clock, logger: createRecordingLogger(), days: 'off' })()).toBe(3);
  expect(asked).toEqual(['unconnected', 'idempotency', 'leftovers']);
});

it('periodic work is done by one of several processes, again each period', async () => {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  let now = START.getTime();
  let done = 0;
  const process = () =>
    inOneProcess({ storage, clock: { now: () => new Date(now) } }, 'work', 60_000, async () => {
      done += 1;
      return done;
    });
  const all = [process(), process(), process()];
  const turn = () => Promise.all(all.map((each) => each()));
  expect((await turn()).filter((result) => result !== undefined)).toEqual([1]);
  expect(await turn()).toEqual([undefined, undefined, undefined]);
  now += 60_000;
  expect((await turn()).filter((result) => result !== undefined)).toEqual([2]);
  await storage.close();
});

it('periodic work continues soon after a clock that was set far forward is set back', async () => {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  const clock = createTestClock(START);
  const work = inOneProcess({ storage, clock }, 'work', 60_000, async () => 'done');
  clock.set(START.getTime() + 86_400_000);
  expect(await work()).toBe('done');
  clock.set(START);
  expect(await work()).toBe('done');
  await storage.close();
});

it('RETENTION_DAYS says for how long: 90 by default, off for good', () => {
  const daysOf = (env: Record<string, string>) =>
    resolveConfig(toConfig(readEnvironment({ SERVICES: 'engagement', ...env }))).retention.days;
  expect([daysOf({}), daysOf({ RETENTION_DAYS: '7' }), daysOf({ RETENTION_DAYS: 'off' })]).toEqual([90, 7, 'off']);
  for (const wrong of ['0', '-1', '1.5', '4000', 'never']) {
    expect(() => readEnvironment({ RETENTION_DAYS: wrong }), wrong).toThrow(EnvironmentError);
  }
  expect(() => createCredence({ retention: { days: 0 } })).toThrow('retention.days');
});
