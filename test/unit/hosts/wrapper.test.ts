import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('a host is told once that npx is gone, though the command line and the package have a copy of the code each', async () => {
  vi.useFakeTimers();
  vi.stubEnv('npm_execpath', '/usr/lib/npm-cli.js');
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(41);
  for (let copy = 0; copy < 2; copy++) {
    const { endWithWrapper } = await import(`../../../hosts/standalone/wrapper.ts?copy=${copy}`);
    endWithWrapper();
  }
  vi.advanceTimersByTime(60_000);
  expect(kill).not.toHaveBeenCalled();
  parent.mockReturnValue(1);
  vi.advanceTimersByTime(60_000);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
});
