/** The processes that npm and npx put around a command. */

const LOOK_EVERY_MS = 500;
let isWatching = false;

/**
 * Ends this process, as SIGTERM does, when the shell is gone in which npm or npx runs it. They pass a signal to that shell,
 * which dies of it and tells nobody. Does nothing for a process that they did not start.
 */
export function endWithWrapper(env: Readonly<Record<string, string | undefined>> = process.env): void {
  if (isWatching || env.npm_execpath === undefined) return;
  isWatching = true;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}
