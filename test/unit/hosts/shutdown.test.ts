import { afterEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../core/ports/logger.ts';
import { onShutdown } from '../../../hosts/standalone/shutdown.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const before = SIGNALS.map((signal) => process.listeners(signal));

afterEach(() => {
  for (const [at, signal] of SIGNALS.entries()) {
    for (const listener of process.listeners(signal))
      if (!before[at]?.includes(listener)) process.off(signal, listener);
  }
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('a signal that comes in several ways is one, and a person who repeats it ends the process', () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const close = vi.fn(() => new Promise<void>(() => {}));
  const shutdown = onShutdown(silentLogger, close);
  expect(shutdown.begun()).toBe(false);
  process.emit('SIGTERM', 'SIGTERM');
  vi.advanceTimersByTime(600);
  process.emit('SIGTERM', 'SIGTERM');
  expect([shutdown.begun(), close.mock.calls.length, exit.mock.calls]).toEqual([true, 1, []]);
  vi.advanceTimersByTime(5_000);
  process.emit('SIGINT', 'SIGINT');
  expect(exit.mock.calls).toEqual([[1]]);
});
