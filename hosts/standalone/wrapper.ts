/** The processes that npm and npx put around a command. */

const LOOK_EVERY_MS = 500;

/**
 * Ends this process, as SIGTERM does, when the shell is gone in which npm or npx runs it. They pass a signal to that shell,
 * which dies of it and tells nobody. Does nothing for a process that they did not start.
 */
export function endWithWrapper(): void {
  const { env, ppid } = process;
  if (env.npm_execpath === undefined) return;
  // The command line and the package each have a copy of this, and a second SIGTERM ends a host at once: one of them watches.
  delete env.npm_execpath;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}
