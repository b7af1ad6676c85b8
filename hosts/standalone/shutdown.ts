/** Graceful shutdown on SIGTERM and SIGINT; a second signal, or 30 s, ends the process at once. */
import type { Logger } from '../../core/ports/logger.ts';

const GRACE_MS = 30_000;

export interface Shutdown {
  /** True once a signal came: `close` is under way, and ends the process. */
  begun(): boolean;
}

export function onShutdown(logger: Logger, close: () => Promise<void>): Shutdown {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    close().then(
      () => process.exit(0),
      (err: unknown) => {
        logger.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { begun: () => stopping };
}
